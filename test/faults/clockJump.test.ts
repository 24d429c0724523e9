import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { toHex } from '../../src/util/bytes.ts'
import { type NodeProcess, startNode } from '../support/nodeProcess.ts'
import { runInProcess } from '../support/program.ts'
import { signedTransaction } from '../support/signedTransaction.ts'

const LIBRARIES = '/usr/lib'
const HOUR = 3600
/** What the machine's clock shows beside the time that it is, seconds, one after the other. */
const JUMPS = [HOUR, -HOUR, 0]
/** Requests after each jump: those of all of them are more than the key has without time that goes on. */
const REQUESTS = 60
const BUCKET = 100
/** Hashes a quarter of a MiB of memory again and again: a billion gas lasts many times the limit. */
const HASHES = { data: '0x5b6204000060002050600056', gas: '0x3b9aca00' }

const library = findLibrary()
const skip = library === null ? 'libfaketime is not installed (faketime)' : false

/** What has a process believe another time; null where it is not installed. */
function findLibrary(): string | null {
  if (!existsSync(LIBRARIES)) return null
  const found = readdirSync(LIBRARIES)
    .map((name) => join(LIBRARIES, name, 'faketime/libfaketimeMT.so.1'))
    .find((path) => existsSync(path))
  return found ?? null
}

async function latest(node: NodeProcess): Promise<{ number: number; timestamp: number }> {
  const block = await node.request<{ number: string; timestamp: string }>('eth_getBlockByNumber', [
    'latest',
    false,
  ])
  return { number: Number(block.number), timestamp: Number(block.timestamp) }
}

t.test('the clock of the machine is set, forward and back', { skip }, async (t) => {
  const folder = t.testdir()
  const dataDir = join(folder, 'data')
  const offset = join(folder, 'offset')
  const setClock = (seconds: number) => writeFileSync(offset, seconds < 0 ? `${seconds}` : `+${seconds}`)
  setClock(0)
  const limits = ['--rate', '50', '--burst', String(BUCKET)]
  const made = await runInProcess([
    ...['key', 'create', '--data-dir', dataDir, '--id', 'ada', '--name', 'Ada'],
    ...limits,
  ])
  const key = /[A-Za-z0-9_-]{30,}/.exec(made.stdout)?.[0] ?? ''
  t.not(key, '', made.stdout + made.stderr)
  const node = await startNode({
    dataDir,
    path: `/${key}`,
    args: ['--call-gas-cap', '1000000000', '--lane-evm-timeout', '2'],
    under: [
      'env',
      `LD_PRELOAD=${library}`,
      `FAKETIME_TIMESTAMP_FILE=${offset}`,
      'FAKETIME_DONT_FAKE_MONOTONIC=1',
      'FAKETIME_NO_CACHE=1',
    ],
  })
  t.teardown(() => node.stop('SIGKILL'))
  let parent = await latest(node)
  // It waits for the ones between over all jumps: the pool drops what waits too long by a clock that nobody sets.
  const [last, waiting] = [JUMPS.length, JUMPS.length + 1].map((nonce) =>
    toHex(signedTransaction({ nonce: BigInt(nonce) }).encoded),
  )
  const hashes: string[] = [await node.request<string>('eth_sendRawTransaction', [waiting])]
  for (const [nonce, seconds] of JUMPS.entries()) {
    const began = Date.now() / 1000
    setClock(seconds)
    // The bucket of the key fills up meanwhile, whatever the machine's clock says.
    await sleep(2000)
    for (let request = 0; request < REQUESTS; request += 1) t.ok(await node.request('eth_chainId'))
    const { encoded } = signedTransaction({ nonce: BigInt(nonce) })
    const hash = await node.request<string>('eth_sendRawTransaction', [toHex(encoded)])
    hashes.push(hash)
    t.match(await node.request('eth_getTransactionReceipt', [hash]), { status: '0x1' }, 'it is mined')
    const head = await latest(node)
    t.equal(head.number, parent.number + 1)
    t.ok(head.timestamp > parent.timestamp, 'a block is later than its parent')
    t.ok(head.timestamp >= Math.floor(began) + seconds, 'and has the time of the machine at least')
    parent = head
    t.match(await node.request('txpool_status'), { queued: '0x1' }, 'what waits in the pool still does')
    const ready = await fetch(new URL('/ready', node.url))
    t.equal(ready.status, 200, await ready.text())
  }
  hashes.push(await node.request<string>('eth_sendRawTransaction', [last]))
  const long = node.request('eth_call', [HASHES, 'latest'])
  setClock(-HOUR)
  await t.rejects(long, { code: -32011 }, 'a time limit ends when it would have')
  await node.stop('SIGKILL')
  const check = await runInProcess(['check', '--full', '--data-dir', dataDir])
  t.equal(check.code, 0, check.stdout + check.stderr)
  const restarted = await startNode({ dataDir, path: `/${key}` })
  t.teardown(() => restarted.stop('SIGKILL'))
  for (const hash of hashes)
    t.match(await restarted.request('eth_getTransactionReceipt', [hash]), { status: '0x1' })
})
