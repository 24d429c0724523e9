import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { EXIT_CODES } from '../../src/cli/exitCodes.ts'
import { type NodeProcess, startNode } from '../support/nodeProcess.ts'
import { runInProcess } from '../support/program.ts'
import { testFolder } from '../support/testFolder.ts'
import { injectFault, whyNoFault } from './flushFault.ts'

const ACCOUNT = `0x${'5a'.repeat(20)}`
const ARGS = ['--workers', '1']
/** Looks at a node that is to notice something, 100 ms from one to the next. */
const LOOKS = 300
/** Bytes of a page, as data is written; the note of a commit is shorter. */
const PAGE = ', 4096, '
/** Tries to hit the last write of a commit. */
const TRIES = 40
const REFUSED = { code: -32603, message: /the store cannot be written: the disk is full or fails \(EIO\)/ }

const skip = whyNoFault() ?? false

t.setTimeout(600_000)

const edit = (node: NodeProcess, balance: number) =>
  node.request('hardhat_setBalance', [ACCOUNT, `0x${balance.toString(16)}`])
const balance = (node: NodeProcess) => node.request('eth_getBalance', [ACCOUNT, 'latest'])

async function open(t: Test) {
  const dataDir = join(testFolder(t), 'data')
  const node = await startNode({ dataDir, args: ARGS })
  t.teardown(() => node.stop('SIGKILL'))
  await node.request('hardhat_mine', ['0x1c4'])
  await edit(node, 1)
  return { dataDir, node }
}

async function untilReady(node: NodeProcess): Promise<void> {
  for (let look = 0; look < LOOKS; look += 1) {
    if ((await fetch(`${node.url}/ready`)).status === 200) return
    await sleep(100)
  }
  throw new Error(`not ready again:\n${node.output()}`)
}

async function assertKept(t: Test, dataDir: string, expected: string): Promise<void> {
  const check = await runInProcess(['check', '--data-dir', dataDir])
  t.equal(check.code, 0, check.stdout + check.stderr)
  const node = await startNode({ dataDir, args: ARGS })
  t.teardown(() => node.stop('SIGKILL'))
  t.equal(await balance(node), expected)
  await edit(node, 9)
  t.equal(await balance(node), '0x9')
}

for (const store of ['state', 'chain']) {
  const file = (dataDir: string) => join(dataDir, store, 'data.mdb')

  t.test(`an edit whose flush fails in the ${store} store did not happen`, { skip }, async (t) => {
    const { dataDir, node } = await open(t)
    const fault = await injectFault(node.pid, file(dataDir), 'fdatasync', 1)
    await t.rejects(edit(node, 2), REFUSED)
    t.match(await fault.end(), /EIO .*INJECTED/)
    t.equal(await balance(node), '0x1', 'for readers')
    await untilReady(node)
    t.equal(await balance(node), '0x1', 'nor later, when writes are possible again')
    await node.request('evm_mine')
    t.equal(await balance(node), '0x1', 'nor with the next block')
    await edit(node, 3)
    t.equal(await balance(node), '0x3')
    await node.stop('SIGKILL')
    await assertKept(t, dataDir, '0x3')
  })

  t.test(`a commit that the ${store} store cannot note ends the node with a message`, { skip }, async (t) => {
    const { dataDir, node } = await open(t)
    let acknowledged = 1
    let isBroken = false
    // Pages come before the note: how many, only the store knows, and nearly the same number each time. A write that
    // did not come was one too many, one that was a page was one too few.
    let at = 1
    for (let look = 0; look < TRIES; look += 1) {
      const fault = await injectFault(node.pid, file(dataDir), 'pwrite64', at)
      const wanted = look + 2
      const refusal = await edit(node, wanted).then(
        () => null,
        (error: unknown) => error,
      )
      const failed = (await fault.end()).split('\n').find((line) => line.includes('INJECTED'))
      if (refusal === null) {
        t.equal(failed, undefined, 'what was acknowledged was written')
        acknowledged = wanted
        at = Math.max(1, at - 1)
        continue
      }
      t.match(refusal, REFUSED)
      isBroken = failed?.includes(PAGE) === false
      if (isBroken) break
      at += 1
      await untilReady(node)
    }
    t.ok(isBroken)
    await node.untilPrinted('error: the disk failed where a store in')
    // It ends by itself.
    const { code, signal } = await node.stop('SIGCONT')
    t.same([code, signal], [EXIT_CODES.failed, null])
    t.match(node.output(), /what was acknowledged is stored, the last write is not/)
    t.notMatch(node.output(), /^\s+at .*\.[jt]s:\d+/m, 'no stack of an error that nobody caught')
    await assertKept(t, dataDir, `0x${acknowledged.toString(16)}`)
  })
}
