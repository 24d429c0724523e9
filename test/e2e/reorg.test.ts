import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Transaction } from '../../src/chain/codec/transaction.ts'
import { toHex } from '../../src/util/bytes.ts'
import { type NodeProcess, startNode } from '../support/nodeProcess.ts'
import type { TestAccount } from '../support/signedTransaction.ts'
import { type BranchBlock, BranchBuilder, importBlocks, mineBlock } from './branchBuilder.ts'
import { type BranchPlan, LOST, planBranches, SENDERS } from './branchPlan.ts'
import { ChainClient, type FoundLog, type News } from './chainClient.ts'
import { openTokenChain } from './tokenChain.ts'

const NO_BLOCK = { blockHash: null, blockNumber: null, transactionIndex: null }

const hashesOf = (blocks: readonly BranchBlock[]) => blocks.map(({ hash }) => hash)
const named = (transactions: readonly Transaction[]) => transactions.map(({ hash }) => toHex(hash))
const headNews = (blocks: readonly BranchBlock[]) => blocks.map(({ hash }): News => ['head', hash])
const logNews = (logs: readonly FoundLog[]) => logs.map((log): News => ['log', log])
const pendingNews = (transactions: readonly Transaction[]) =>
  named(transactions).map((hash): News => ['pending', hash])

/** What one reorganisation is made of, and who looks at it. */
interface Scene {
  readonly t: Test
  readonly node: NodeProcess
  readonly client: ChainClient
  readonly plan: BranchPlan
  readonly old: readonly BranchBlock[]
  readonly fresh: readonly BranchBlock[]
  readonly oldTip: BranchBlock
  readonly newTip: BranchBlock
}

async function openNode(t: Test, name: string): Promise<NodeProcess> {
  const node = await startNode({ dataDir: join(t.testdirName, name), args: ['--no-mining'] })
  t.teardown(() => node.stop())
  return node
}

t.test('reorganisations of depth 1, 2 and 10 as clients of a running node see them', async (t) => {
  t.testdir({})
  const [node, other] = await Promise.all([openNode(t, 'node'), openNode(t, 'builder')])
  const builder = new BranchBuilder(other)
  const token = await openTokenChain(node, builder, SENDERS)
  for (const depth of [1, 2, 10]) {
    await t.test(`depth ${depth}`, async (t) => {
      const plan = planBranches(token, depth, await noncesOf(node))
      const old = await builder.branch(plan.oldBlocks)
      const fresh = await builder.extend(plan.newBlocks)
      const [first, oldTip, newTip] = [old[0], old.at(-1), fresh.at(-1)]
      if (first === undefined || oldTip === undefined || newTip === undefined) throw new Error('no blocks')
      t.equal(old.length, depth)
      t.equal(newTip.number, oldTip.number + 1)
      const client = await ChainClient.open(node, toHex(token), first.number)
      const scene = { t, node, client, plan, old, fresh, oldTip, newTip }
      await announce(scene)
      const oldLogs = await followOldBranch(scene)
      await ignoreNewBranch(scene, oldLogs)
      await reorganise(scene, oldLogs)
      await lookUp(scene)
      await importBlocks(other, [await executeLater(scene)])
      t.equal(await client.leave(), true, 'the filters were there all the time')
    })
  }
})

async function noncesOf(node: NodeProcess): Promise<Map<TestAccount, number>> {
  const nonces = new Map<TestAccount, number>()
  for (const account of SENDERS) {
    const params = [toHex(account.address), 'latest']
    nonces.set(account, Number(await node.request('eth_getTransactionCount', params)))
  }
  return nonces
}

/** Everything is sent but what only the new branch knows. */
async function announce(scene: Scene): Promise<void> {
  const { t, client, plan } = scene
  const sent = [plan.inBoth, ...plan.onlyOld, plan.oldContender, plan.waiting]
  for (const { encoded } of sent) await client.ask('eth_sendRawTransaction', toHex(encoded))
  t.same(await client.changes(client.filters.pending), named(sent))
  t.same(await client.news(sent.length), pendingNews(sent), 'announced')
  t.same(await poolOf(scene), named(sent).toSorted())
  for (const one of sent) {
    t.match(await transactionOf(scene, one), NO_BLOCK)
    t.equal(await receiptOf(scene, one), null)
  }
}

/** The old branch grows. @returns its logs by block */
async function followOldBranch(scene: Scene): Promise<readonly (readonly FoundLog[])[]> {
  const { t, node, client, plan, old, oldTip } = scene
  const { filters } = client
  const byBlock: (readonly FoundLog[])[] = []
  for (const block of old) {
    await importBlocks(node, [block])
    byBlock.push(await client.logsOf(block))
  }
  const logs = byBlock.flat()
  t.equal(logs.length, old.length + 2)
  t.ok(logs.every(({ removed }) => removed === false))
  t.same(await client.changes(filters.blocks), hashesOf(old))
  t.strictSame(await client.changes(filters.logs), logs)
  t.strictSame(await client.changes(filters.range), logs)
  t.strictSame(await client.ask('eth_getFilterLogs', filters.range), logs)
  t.strictSame(await client.allLogs(), logs)
  t.strictSame(
    await client.news(logs.length + old.length),
    old.flatMap((block, index) => [...logNews(byBlock[index] ?? []), ...headNews([block])]),
    'logs and head of each block',
  )
  t.same(await poolOf(scene), named([plan.waiting]))
  t.match(await receiptOf(scene, plan.inBoth), { blockHash: old[0]?.hash, status: '0x1' })
  t.match(await receiptOf(scene, plan.oldContender), { blockHash: oldTip.hash })
  for (const [index, one] of plan.onlyOld.entries()) {
    t.match(await receiptOf(scene, one), { blockHash: old[index]?.hash })
    t.match(await transactionOf(scene, one), { blockHash: old[index]?.hash })
  }
  return byBlock
}

/** As long as the new branch is not the better one nothing happens. */
async function ignoreNewBranch(scene: Scene, oldLogs: readonly (readonly FoundLog[])[]): Promise<void> {
  const { t, node, client, plan, fresh, oldTip } = scene
  const { filters } = client
  await importBlocks(node, fresh.slice(0, -1))
  t.match(await client.ask('eth_getBlockByNumber', 'latest'), { hash: oldTip.hash })
  t.same(await client.news(0), [])
  for (const filter of Object.values(filters)) t.same(await client.changes(filter), [])
  t.strictSame(await client.allLogs(), oldLogs.flat())
  for (const one of [plan.newContender, ...plan.onlyNew]) t.equal(await transactionOf(scene, one), null)
}

/** The last block of the new branch comes. */
async function reorganise(scene: Scene, oldLogs: readonly (readonly FoundLog[])[]): Promise<void> {
  const { t, node, client, plan, fresh, oldTip, newTip } = scene
  const { filters } = client
  await importBlocks(node, [newTip])
  t.match(await client.ask('eth_getBlockByNumber', 'latest'), { hash: newTip.hash })
  const added: FoundLog[] = []
  for (const block of fresh) added.push(...(await client.logsOf(block)))
  t.equal(added.length, fresh.length + 2)
  const removed = oldLogs
    .toReversed()
    .flat()
    .map((log) => ({ ...log, removed: true }))
  t.strictSame(
    await client.news(removed.length + added.length + fresh.length + plan.onlyOld.length),
    [...logNews(removed), ...logNews(added), ...headNews(fresh), ...pendingNews(plan.onlyOld)],
    'logs taken back, newest block first, the new ones, all new heads, what is pending again',
  )
  t.same(await client.changes(filters.blocks), hashesOf(fresh))
  t.strictSame(await client.changes(filters.logs), [...removed, ...added])
  t.strictSame(await client.changes(filters.range), [...removed, ...added])
  t.same(await client.changes(filters.pending), named(plan.onlyOld), 'announced again')
  for (const filter of Object.values(filters)) t.same(await client.changes(filter), [], 'told once')
  t.strictSame(await client.ask('eth_getFilterLogs', filters.range), added)
  t.strictSame(await client.allLogs(), added)
  t.strictSame(await client.logsOf(oldTip), oldLogs.at(-1), 'a block beside the chain is found by its hash')
}

/** What was where before is where it belongs now. */
async function lookUp(scene: Scene): Promise<void> {
  const { t, client, plan, fresh, oldTip, newTip } = scene
  for (const one of [plan.inBoth, plan.waiting]) {
    t.match(await receiptOf(scene, one), { blockHash: newTip.hash, status: '0x1' })
    t.match(await transactionOf(scene, one), { blockHash: newTip.hash })
  }
  t.match(await receiptOf(scene, plan.newContender), { blockHash: fresh[0]?.hash })
  t.equal(await receiptOf(scene, plan.oldContender), null)
  t.equal(await transactionOf(scene, plan.oldContender), null, 'its nonce is used up')
  for (const [index, one] of plan.onlyNew.entries()) {
    t.match(await receiptOf(scene, one), { blockHash: fresh[index]?.hash })
  }
  for (const one of plan.onlyOld) {
    t.equal(await receiptOf(scene, one), null)
    t.match(await transactionOf(scene, one), NO_BLOCK)
  }
  t.same(await poolOf(scene), named(plan.onlyOld).toSorted())
  t.match(await client.ask('eth_getBlockByHash', oldTip.hash), { hash: oldTip.hash })

  const address = toHex(LOST.address)
  const count = async (block: unknown) => Number(await client.ask('eth_getTransactionCount', address, block))
  const old = { blockHash: oldTip.hash }
  t.equal(await count('latest'), (await count(old)) - plan.onlyOld.length)
  t.equal(await count('pending'), await count(old))
  t.equal(await balanceOf(scene, 'latest'), (await balanceOf(scene, old)) + plan.given)
  t.equal(await balanceOf(scene, 'pending'), await balanceOf(scene, old))
}

/** What came back is in the next block. @returns that block */
async function executeLater(scene: Scene): Promise<BranchBlock> {
  const { t, node, client, plan } = scene
  const { filters } = client
  const block = await mineBlock(node)
  const logs = await client.logsOf(block)
  t.same(
    logs.map(({ transactionHash }) => transactionHash),
    named(plan.onlyOld),
  )
  t.strictSame(await client.news(logs.length + 1), [...logNews(logs), ...headNews([block])])
  t.strictSame(await client.changes(filters.logs), logs)
  t.same(await client.changes(filters.blocks), [block.hash])
  t.same(await client.changes(filters.pending), [])
  t.same(await poolOf(scene), [])
  for (const one of plan.onlyOld) {
    t.match(await receiptOf(scene, one), { blockHash: block.hash, status: '0x1' })
  }
  return block
}

function receiptOf({ client }: Scene, { hash }: Transaction): Promise<object | null> {
  return client.ask('eth_getTransactionReceipt', toHex(hash))
}

function transactionOf({ client }: Scene, { hash }: Transaction): Promise<object | null> {
  return client.ask('eth_getTransactionByHash', toHex(hash))
}

/** Tokens of the sender whose transactions are in the old branch only. */
async function balanceOf({ client, plan }: Scene, block: unknown): Promise<number> {
  const data = `0x70a08231${LOST.address.toString('hex').padStart(64, '0')}`
  return Number(await client.ask('eth_call', { to: toHex(plan.inBoth.fields.to), data }, block))
}

/** Hashes of the pending transactions, sorted; nothing must be queued. */
async function poolOf({ t, client }: Scene): Promise<string[]> {
  type Group = Record<string, Record<string, readonly { hash: string; blockNumber: null }[]>>
  const { pending, queued } = await client.ask<{ pending: Group; queued: Group }>('txpool_content')
  t.same(queued, {})
  const found = Object.values(pending).flatMap((nonces) => Object.values(nonces).flat())
  t.ok(found.every(({ blockNumber }) => blockNumber === null))
  t.same(await client.ask('txpool_status'), { pending: found.length, queued: 0 })
  return found.map(({ hash }) => hash).toSorted()
}
