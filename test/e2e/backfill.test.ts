import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { SignerKey } from '../../src/snapshot/blsKeys.ts'
import { signSnapshot } from '../../src/snapshot/signSnapshot.ts'
import { freePort, type JsonRpcError, type NodeProcess, startNode } from '../support/nodeProcess.ts'
import { REGTEST } from '../support/openTestChain.ts'
import { runInProcess } from '../support/program.ts'
import { importRecordedChain } from '../support/recordedDataDir.ts'
import { makeSnapshot } from '../support/snapshots.ts'
import { testFolder } from '../support/testFolder.ts'

/** Blocks with transactions and logs, of the recorded chain; empty ones on top. */
const RECORDED = 66
const MINED = 1000
/** Kept by the snapshot, as many as fork detection reads, and below the head when it was made. */
const KEPT = 500
const DEPTH = 40
const FIRST = RECORDED + MINED - DEPTH + 1 - KEPT
const LOOK_MS = 20

const ADA = SignerKey.generate(Buffer.alloc(32, 1))
const TRUST = ['--snapshot-keys', `${ADA.publicKey}:${ADA.prove()}`]
const hex = (value: number) => `0x${value.toString(16)}`

async function startPeer(t: Test, dataDir: string, args: readonly string[]): Promise<NodeProcess> {
  const common = ['--no-mining', '--no-page', '--workers', '1', '--modules', '*', '--p2p-host', '127.0.0.1']
  const node = await startNode({ dataDir, args: [...common, ...args] })
  t.teardown(() => node.stop('SIGKILL'))
  return node
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(LOOK_MS)
}

/** The lowest block that is kept, as the node says when it is asked for block 1. */
async function firstBlockOf(node: NodeProcess): Promise<number> {
  const found = await node
    .request('eth_getBlockByNumber', ['0x1', false])
    .catch((error: JsonRpcError) => /keeps blocks from (\d+)$/.exec(error.message)?.[1])
  return typeof found === 'string' ? Number(found) : 1
}

t.test(
  'a node of a signed snapshot goes on over peers and fills in what is below, killed or not',
  async (t) => {
    const folder = testFolder(t)
    const sourceDir = join(folder, 'source')
    await importRecordedChain(sourceDir)
    const a = await startPeer(t, sourceDir, ['--peers', '--p2p-port', String(await freePort())])
    await a.request('hardhat_mine', [hex(MINED)])
    const snapshot = join(folder, 'snapshot')
    await makeSnapshot({
      spec: REGTEST,
      dataDir: sourceDir,
      folder: snapshot,
      depth: DEPTH,
      blocks: KEPT,
      leastBlocks: 1,
    })
    await signSnapshot(snapshot, ADA)
    await a.request('hardhat_mine', ['0x5'])
    const { enode } = await a.request<{ enode: string }>('admin_nodeInfo')
    const dataDir = join(folder, 'data')
    const args = [...TRUST, '--bootstrap', snapshot, '--peer', enode, '--p2p-port', String(await freePort())]

    const killed = await startPeer(t, dataDir, args)
    await until(async () => (await firstBlockOf(killed)) < FIRST)
    await killed.stop('SIGKILL')
    const afterKill = await runInProcess(['check', '--full', '--data-dir', dataDir])
    t.equal(afterKill.code, 0, `${afterKill.stdout}${afterKill.stderr}`)

    const b = await startPeer(t, dataDir, args)
    await until(async () => (await firstBlockOf(b)) === 1)
    const latest = ['latest', false] as const
    await until(async () => {
      const [own, theirs] = await Promise.all(
        [b, a].map((node) => node.request<{ hash: string }>('eth_getBlockByNumber', [...latest])),
      )
      return own?.hash === theirs?.hash
    })
    await assertSame(t, a, b)
    await assertNoReceipts(t, a, b)
    await b.stop()
    const check = await runInProcess(['check', '--full', '--data-dir', dataDir])
    t.equal(check.code, 0, `${check.stdout}${check.stderr}`)
    const exported = await runInProcess([
      'export',
      '--output',
      join(folder, 'chain.bin'),
      '--data-dir',
      dataDir,
    ])
    t.equal(exported.code, 0, exported.stderr)
  },
)

interface FullBlock {
  readonly hash: string
  readonly transactions: readonly { readonly hash: string }[]
}

/** Blocks and transactions, by number and by hash, difficulties included. */
async function assertSame(t: Test, a: NodeProcess, b: NodeProcess): Promise<void> {
  const same = async (method: string, ...params: unknown[]) => {
    const [expected, found] = await Promise.all([a.request(method, params), b.request(method, params)])
    t.not(expected, null)
    t.same(found, expected, `${method} ${JSON.stringify(params)}`)
    return expected
  }
  const numbers = [
    ...Array.from({ length: RECORDED + 2 }, (_, number) => number),
    FIRST - 1,
    FIRST,
    FIRST + 1,
  ]
  for (const number of numbers) {
    const { hash, transactions } = (await same('eth_getBlockByNumber', hex(number), true)) as FullBlock
    await same('eth_getBlockByHash', hash, true)
    await same('debug_getRawBlock', hex(number))
    for (const transaction of transactions) await same('eth_getTransactionByHash', transaction.hash)
  }
}

/** Below the snapshot receipts are not kept; above they are those of the other node. */
async function assertNoReceipts(t: Test, a: NodeProcess, b: NodeProcess): Promise<void> {
  const { transactions } = await a.request<FullBlock>('eth_getBlockByNumber', [hex(30), true])
  const calls: readonly (readonly [string, ...unknown[]])[] = [
    ['eth_getTransactionReceipt', transactions[0]?.hash],
    ['eth_getBlockReceipts', hex(30)],
    ['eth_getLogs', { fromBlock: hex(30), toBlock: hex(31) }],
    ['debug_getRawReceipts', hex(30)],
  ]
  for (const [method, ...params] of calls) {
    t.not(await a.request(method, params), null)
    const found = await b.request(method, params).catch((error: JsonRpcError) => error)
    t.match(
      found,
      {
        code: 4444,
        message: `pruned history unavailable: the receipts of block 30 are not kept, this node keeps receipts from block ${FIRST}`,
      },
      method,
    )
  }
  for (const call of [
    ['eth_getBlockReceipts', hex(FIRST)],
    ['eth_getLogs', { fromBlock: hex(FIRST), toBlock: 'latest' }],
  ] as const) {
    const [method, ...params] = call
    t.same(await b.request(method, params), await a.request(method, params), method)
  }
}
