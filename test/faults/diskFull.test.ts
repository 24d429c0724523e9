import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { toHex } from '../../src/util/bytes.ts'
import { runCommand } from '../support/cli.ts'
import { askNode, JsonRpcError, type NodeProcess, startNode } from '../support/nodeProcess.ts'
import { runInProcess } from '../support/program.ts'
import { COW, signedTransaction } from '../support/signedTransaction.ts'
import { unpackedVector } from '../support/vectors.ts'
import { mountSmallDisk, type SmallDisk, whyNoSmallDisk } from './smallDisk.ts'

const MEBIBYTE = 2 ** 20
/** Bytes of data of each transaction, so that a store of some megabytes is soon full. */
const DATA_BYTES = 16_384
const MAX_SENDS = 2000
/** Looks at a node that is to recover, 100 ms from one to the next. */
const LOOKS = 300
const REQUESTS = 25

const skip = whyNoSmallDisk() ?? false

function send(node: NodeProcess, nonce: number): Promise<string> {
  const data = Buffer.alloc(DATA_BYTES, nonce & 0xff || 1)
  const transaction = signedTransaction({ nonce: BigInt(nonce), gasLimit: 2_000_000n, data })
  return node.request('eth_sendRawTransaction', [toHex(transaction.encoded)])
}

/** Sends until the node refuses for want of room; what it acknowledged, and its words. */
async function sendUntilFull(node: NodeProcess, first: number) {
  const acknowledged: string[] = []
  for (let nonce = first; nonce < first + MAX_SENDS; nonce += 1) {
    try {
      acknowledged.push(await send(node, nonce))
    } catch (error) {
      if (error instanceof JsonRpcError) return { acknowledged, error }
      throw error
    }
  }
  throw new Error(`${MAX_SENDS} transactions fit`)
}

async function readiness(node: NodeProcess): Promise<{ status: number; body: string }> {
  const response = await fetch(`${node.url}/ready`)
  return { status: response.status, body: await response.text() }
}

async function assertReads(t: Test, node: NodeProcess, acknowledged: readonly string[]) {
  t.match(await node.request('eth_getBlockByNumber', ['latest', false]), { hash: /^0x/ })
  t.match(await node.request('eth_getBalance', [toHex(COW.address), 'latest']), /^0x/)
  for (const hash of acknowledged) t.match(await node.request('eth_getTransactionByHash', [hash]), { hash })
}

async function untilReady(node: NodeProcess): Promise<void> {
  for (let look = 0; look < LOOKS; look += 1) {
    if ((await readiness(node)).status === 200) return
    await sleep(100)
  }
  throw new Error(`not ready again:\n${node.output()}`)
}

function openDisk(t: Test): SmallDisk {
  const disk = mountSmallDisk(48)
  if (disk === null) throw new Error('no disk')
  t.teardown(() => disk.unmount())
  return disk
}

t.test('a full disk stops writes only, until there is room', { skip }, async (t) => {
  const disk = openDisk(t)
  const dataDir = join(disk.path, 'data')
  const node = await startNode({ dataDir })
  t.teardown(() => node.stop('SIGKILL'))
  const before = [await send(node, 0)]
  disk.fill(MEBIBYTE)
  const { acknowledged, error } = await sendUntilFull(node, 1)
  t.match(error, { code: -32603, message: /the store cannot be written: the disk is full/ })
  await t.rejects(node.request('evm_mine'), { code: -32603, message: /the disk is full/ })
  const { status, body } = await readiness(node)
  t.equal(status, 503)
  t.match(body, /the disk is full/)
  await assertReads(t, node, [...before, ...acknowledged])
  disk.empty()
  await untilReady(node)
  const nonce = Number(await node.request('eth_getTransactionCount', [toHex(COW.address), 'pending']))
  const after = await send(node, nonce)
  await assertReads(t, node, [...before, ...acknowledged, after])
  // Full again, and then the process is killed: nothing half-written may be left.
  disk.fill(MEBIBYTE / 2)
  const again = await sendUntilFull(node, nonce + 1)
  await node.stop('SIGKILL')
  disk.empty()
  const check = await runInProcess(['check', '--full', '--data-dir', dataDir])
  t.equal(check.code, 0, check.stdout + check.stderr)
  const restarted = await startNode({ dataDir })
  t.teardown(() => restarted.stop('SIGKILL'))
  await assertReads(t, restarted, [...before, ...acknowledged, after, ...again.acknowledged])
})

t.test('keys hold on a full disk, and usage is written when there is room', { skip }, async (t) => {
  const disk = openDisk(t)
  const dataDir = join(disk.path, 'data')
  const made = await runInProcess(['key', 'create', '--data-dir', dataDir, '--id', 'ada', '--name', 'Ada'])
  const key = /[A-Za-z0-9_-]{30,}/.exec(made.stdout)?.[0] ?? ''
  t.not(key, '', made.stdout + made.stderr)
  const node = await startNode({ dataDir, path: `/${key}` })
  t.teardown(() => node.stop('SIGKILL'))
  disk.fill(0)
  const ask = () => node.request('eth_getBalance', [toHex(COW.address), 'latest'])
  // Some writes of usage fail meanwhile, each of which must leave the node alive.
  for (let request = 0; request < REQUESTS; request += 1) {
    t.match(await ask(), /^0x/)
    await sleep(100)
  }
  await t.rejects(askNode(new URL('/', node.url).href, 'eth_chainId', []), { message: /API key/ })
  t.match(node.output(), /the access store cannot be used/)
  disk.empty()
  const counted = async () => {
    const { stdout } = await runInProcess(['key', 'usage', 'ada', '--data-dir', dataDir, '--json'])
    const rows = JSON.parse(stdout) as { readonly method: string; readonly requests: number }[]
    return rows.find(({ method }) => method === 'eth_getBalance')?.requests
  }
  let requests = await counted()
  for (let look = 0; look < LOOKS && requests !== REQUESTS; look += 1) {
    await sleep(100)
    requests = await counted()
  }
  t.equal(requests, REQUESTS, 'none is lost')
})

t.test('an import on a full disk ends with a message, and goes on later', { skip }, async (t) => {
  const disk = openDisk(t)
  const args = ['--data-dir', join(disk.path, 'data'), '--commit-every', '1', '--log-level', 'silent']
  disk.fill(MEBIBYTE / 2)
  const full = await runCommand(['import', ...args, unpackedVector('rpc/chain-main.jsonl')])
  t.equal(full.code, 1)
  t.match(full.stderr, /the store cannot be written: the disk is full .*\((ENOSPC|EIO)\)/)
  t.notMatch(full.stderr, / at .*\.[jt]s/, 'no stack')
  disk.empty()
  const whole = await runCommand(['import', ...args, unpackedVector('rpc/chain-main.jsonl')])
  t.equal(whole.code, 0, whole.stderr)
  t.equal((await runInProcess(['check', '--full', '--data-dir', join(disk.path, 'data')])).code, 0)
})

t.test('a store at its largest size is read on', async (t) => {
  const dataDir = join(t.testdir(), 'data')
  const node = await startNode({ dataDir, args: ['--store-limit', '4'] })
  t.teardown(() => node.stop('SIGKILL'))
  const { acknowledged, error } = await sendUntilFull(node, 0)
  t.match(error, { code: -32603, message: /largest size: raise --store-limit/ })
  t.equal((await readiness(node)).status, 503)
  await assertReads(t, node, acknowledged)
  await node.stop('SIGTERM')
  const larger = await startNode({ dataDir, args: ['--store-limit', '64'] })
  t.teardown(() => larger.stop('SIGKILL'))
  await assertReads(t, larger, acknowledged)
  const count = await larger.request<string>('eth_getTransactionCount', [toHex(COW.address), 'pending'])
  t.match(await send(larger, Number(count)), /^0x/)
})
