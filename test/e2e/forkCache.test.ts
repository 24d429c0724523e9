import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import t from 'tap'
import { createNode } from '../../src/library/developmentNode.ts'
import { UpstreamAnswers } from '../../src/storage/upstreamAnswers.ts'
import { FaultyProxy } from '../fork/faultyProxy.ts'
import { asking } from '../fork/upstreamChain.ts'
import { startNode } from '../support/nodeProcess.ts'
import { testFolder } from '../support/testFolder.ts'

const SENDER = '0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826'
const account = (number: number) => `0x${(0xabc0000 + number).toString(16).padStart(40, '0')}`
const ACCOUNTS = 60
const KILLS = 4
const MEBIBYTE = 2 ** 20

t.test('two processes share the answers, and one that is killed while it writes damages none', async (t) => {
  const upstream = await createNode({ process: 'child' })
  t.teardown(() => upstream.stop())
  const askUpstream = asking(upstream.url)
  for (let number = 0; number < ACCOUNTS; number += 1) {
    await askUpstream('hardhat_setBalance', [account(number), `0x${(number + 1).toString(16)}`])
  }
  await askUpstream('hardhat_mine', ['0x20'])
  const proxy = await FaultyProxy.open(upstream.url)
  t.teardown(() => proxy.close())
  const folder = testFolder(t)
  const args = ['--fork-url', proxy.url, '--fork-block', '30', '--fork-cache', join(folder, 'answers')]
  const start = (name: string) => startNode({ dataDir: join(folder, name), args })

  await t.test('at once', async (t) => {
    const nodes = await Promise.all([start('one'), start('other')])
    t.teardown(() => Promise.all(nodes.map((node) => node.stop())))
    const numbers = Array.from({ length: ACCOUNTS / 2 }, (_, number) => number)
    const balances = await Promise.all(
      nodes.map((node) =>
        Promise.all(numbers.map((number) => node.request('eth_getBalance', [account(number), 'latest']))),
      ),
    )
    const expected = numbers.map((number) => `0x${(number + 1).toString(16)}`)
    t.same(balances, [expected, expected])
    await nodes[0].request('eth_sendTransaction', [{ from: SENDER, to: account(0), value: '0x9' }])
    t.equal(await nodes[0].request('eth_getBalance', [account(0), 'latest']), '0xa')
    t.equal(
      await nodes[1].request('eth_getBalance', [account(0), 'latest']),
      '0x1',
      'only answers are shared',
    )
    // What the one fetched the other does not fetch again.
    await nodes[0].request('eth_getBalance', [account(ACCOUNTS - 1), 'latest'])
    // An answer is kept before the next one is looked for.
    await nodes[0].request('eth_getBalance', [account(ACCOUNTS), 'latest'])
    proxy.counts.clear()
    await nodes[1].request('eth_getBalance', [account(ACCOUNTS - 1), 'latest'])
    // Old blocks come in the background.
    t.equal(proxy.counts.get('eth_getProof') ?? 0, 0)
  })

  await t.test('killed while it reads and makes blocks', async (t) => {
    let height = 30
    for (let kill = 0; kill < KILLS; kill += 1) {
      const node = await start('killed')
      const head = Number(await node.request('eth_blockNumber'))
      t.ok(head >= height, 'what was answered for is there')
      t.equal(
        await node.request('eth_getBalance', [account(2), 'latest']),
        `0x${(3 + head - 30).toString(16)}`,
        'each block is there with its state, or not at all',
      )
      height = head
      const work = (async () => {
        for (let made = 0; ; made += 1) {
          await node.request('eth_sendTransaction', [{ from: SENDER, to: account(2), value: '0x1' }])
          height += 1
          await node.request('eth_getBalance', [account(1000 * (kill + 1) + made), 'latest'])
        }
      })().catch(() => undefined)
      while (height < head + 3 + kill) await new Promise((resolve) => setTimeout(resolve, 5))
      await node.stop('SIGKILL')
      await work
    }
    const last = await start('killed')
    t.teardown(() => last.stop())
    const head = Number(await last.request('eth_blockNumber'))
    t.ok(head >= height)
    t.equal(await last.request('eth_getBalance', [account(2), 'latest']), `0x${(3 + head - 30).toString(16)}`)
  })
})

t.test('a writer that is killed leaves whole answers, and others go on', async (t) => {
  const folder = join(testFolder(t), 'answers')
  const reader = new UpstreamAnswers(folder, MEBIBYTE)
  t.teardown(() => reader.close())
  const module = new URL('../../src/storage/upstreamAnswers.ts', import.meta.url).href
  const program = `
    import { UpstreamAnswers } from ${JSON.stringify(module)}
    const answers = new UpstreamAnswers(${JSON.stringify(folder)}, ${MEBIBYTE})
    for (let at = Number(process.argv[1]); ; at += 1) {
      const key = Buffer.alloc(32)
      key.writeUInt32BE(at)
      answers.put(key, Buffer.alloc(200 + (at % 300), at % 251))
      if (at % 7 === 0) answers.flush()
      if (at % 50 === 0) process.stdout.write(at + '\\n')
    }`
  let from = 0
  for (let kill = 0; kill < KILLS; kill += 1) {
    const writer = spawn(
      process.execPath,
      ['--import=./.ci/loader.mjs', '--input-type=module', '-e', program, String(from)],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    const lines: string[] = []
    writer.stdout.on('data', (bytes: Buffer) => lines.push(String(bytes)))
    while (lines.length < 2 + kill) await new Promise((resolve) => setTimeout(resolve, 2))
    const ended = once(writer, 'exit')
    writer.kill('SIGKILL')
    await ended
    const last = Number(lines.join('').trim().split('\n').at(-1))
    let found = 0
    for (let at = from; at <= last; at += 1) {
      const key = Buffer.alloc(32)
      key.writeUInt32BE(at)
      const answer = reader.get(key)
      if (answer === undefined) continue
      found += 1
      if (!answer.equals(Buffer.alloc(200 + (at % 300), at % 251))) t.fail(`answer ${at} is another one`)
    }
    t.ok(found > 0)
    t.ok(reader.bytes <= MEBIBYTE, 'it stays within its bound')
    const key = Buffer.from(`after ${kill}`)
    reader.put(key, Buffer.of(kill))
    reader.flush()
    t.same(reader.get(key), Buffer.of(kill))
    from = last + 1
  }
})
