import { setTimeout as sleep } from 'node:timers/promises'
import { MessageChannel } from 'node:worker_threads'
import t, { type Test } from 'tap'
import { Block } from '../../../src/chain/codec/block.ts'
import { createRemascTransaction } from '../../../src/chain/codec/transaction.ts'
import type { ReadBlock } from '../../../src/chain/import/messages.ts'
import { UndecidedBlockError } from '../../../src/chain/validation/errors.ts'
import { networkByName } from '../../../src/config/networks/byName.ts'
import { createSyncService } from '../../../src/node/chainThread/syncService.ts'
import { type LinkedChain, openLinkedChain, SyncLinkError } from '../../../src/sync/link/linkedChain.ts'
import { createSyncLink, type SyncLink, type SyncService } from '../../../src/sync/link/serveSyncLink.ts'
import type { BlockOutcome, ChainTip, TransactionOutcome } from '../../../src/sync/syncChain.ts'
import { BlockMaker } from '../../support/blockMaker.ts'
import { openLocalNode } from '../../support/localNode.ts'
import { openTestChain } from '../../support/openTestChain.ts'
import { COW, STRANGER, signedTransaction } from '../../support/signedTransaction.ts'
import { testFolder } from '../../support/testFolder.ts'

const regtest = networkByName('regtest')
const BEST: BlockOutcome = { status: 'IMPORTED_BEST' }
const TIP: ChainTip = {
  number: 3,
  hash: Buffer.alloc(32, 3),
  parentHash: Buffer.alloc(32, 2),
  totalDifficulty: 4n,
}

/** The chain thread's side, as a test wants it. */
class FakeService implements SyncService {
  readonly tip = TIP
  readonly calls: string[] = []
  readonly blocks: ReadBlock[] = []
  /** What a call waits for. */
  gate: Promise<void> = Promise.resolve()
  outcome: BlockOutcome = BEST
  fails = false
  waiting: Buffer[] = []

  pending(): Buffer[] {
    return this.waiting
  }

  async connect(blocks: readonly ReadBlock[]): Promise<readonly BlockOutcome[]> {
    this.calls.push(`begin ${blocks.length}`)
    this.blocks.push(...blocks)
    await this.gate
    this.calls.push(`end ${blocks.length}`)
    if (this.fails) throw new Error('the disk is full')
    return blocks.map(() => this.outcome)
  }

  async addTransactions(encoded: readonly Buffer[]): Promise<readonly TransactionOutcome[]> {
    this.calls.push(`transactions ${encoded.length}`)
    return encoded.map((item) => (item.length > 1 ? 'added' : 'invalid'))
  }
}

/** A block with so many transfers and the reward transaction; nothing of it has to be right here. */
function blockOf(t: Test, transfers: number): Buffer {
  const maker = new BlockMaker(t, regtest)
  const { header } = maker.forge(maker.genesis)
  const transactions = Array.from({ length: transfers }, (_, nonce) =>
    signedTransaction({ from: COW, nonce: BigInt(nonce) }),
  )
  return new Block(header, [...transactions, createRemascTransaction(1)], []).encoded
}

async function openLink(
  t: Test,
  service: SyncService,
): Promise<{ readonly chain: LinkedChain; readonly news: SyncLink; readonly end: () => void }> {
  const { port1, port2 } = new MessageChannel()
  const news = createSyncLink(service)
  news.serve(port2)
  const chain = await openLinkedChain(port1, regtest, openTestChain(t).environment)
  t.teardown(() => chain.close())
  return { chain, news, end: () => port2.close() }
}

t.test('groups of blocks are dealt with in the order of the calls, one at a time', async (t) => {
  const service = new FakeService()
  let open: () => void = () => undefined
  service.gate = new Promise((resolve) => {
    open = resolve
  })
  const { chain } = await openLink(t, service)
  // The first group takes longer to be made ready: senders of many transactions.
  const heavy = blockOf(t, 40)
  const both = [chain.connect([heavy]), chain.connect([Buffer.from('c0', 'hex'), Buffer.from('c0', 'hex')])]
  const added = chain.addTransactions([Buffer.from([1])])
  while (service.calls.length === 0) await sleep(1)
  open()
  t.same(await Promise.all(both), [[BEST], [BEST, BEST]])
  t.same(await added, ['invalid'])
  const connects = service.calls.filter((call) => !call.startsWith('transactions'))
  t.same(connects, ['begin 1', 'end 1', 'begin 2', 'end 2'])
})

t.test('senders are recovered before blocks go to the chain thread', async (t) => {
  const service = new FakeService()
  const { chain } = await openLink(t, service)
  const undecodable = Buffer.from('c0', 'hex')
  const [with2, with1] = [blockOf(t, 2), blockOf(t, 0)]
  await chain.connect([with2, with1, undecodable])
  const [recovered, single, broken] = service.blocks
  t.same(recovered?.rlp, with2)
  // A record for each transaction, REMASC's included: found, address, canonical, hash.
  t.equal(recovered?.senders?.length, 3 * 54)
  t.same(recovered?.senders?.subarray(0, 21), Buffer.concat([Buffer.from([1]), COW.address]))
  t.equal(single?.senders, null)
  t.same(broken?.rlp, undecodable)
  t.equal(broken?.senders, null)
  t.same(
    service.blocks.map(({ position }) => position),
    [0, 1, 2],
  )
})

t.test('a refusal crosses with its hash, a failure says nothing about the blocks', async (t) => {
  const service = new FakeService()
  const { chain } = await openLink(t, service)
  const hash = Buffer.alloc(32, 9)
  service.outcome = {
    status: 'INVALID_BLOCK',
    refusal: { number: 4, hash, rule: 'encoding', expected: 'a', found: 'b' },
  }
  const [refused] = await chain.connect([Buffer.from('c0', 'hex')])
  t.ok(refused?.status === 'INVALID_BLOCK' && Buffer.isBuffer(refused.refusal.hash))
  t.same(refused, service.outcome)
  service.fails = true
  await t.rejects(chain.connect([Buffer.from('c0', 'hex')]), {
    name: 'SyncLinkError',
    message: 'the disk is full',
  })
  service.fails = false
  t.same(await chain.connect([Buffer.from('c0', 'hex')]), [service.outcome], 'the next call is answered')
})

t.test('tips and transactions are told; a listener that ended hears nothing', async (t) => {
  const { chain, news } = await openLink(t, new FakeService())
  t.same(chain.tip, TIP)
  const heard: unknown[] = []
  const endTips = chain.onTip((change) => heard.push(change))
  const endTransactions = chain.onTransactions((encoded) => heard.push(encoded))
  news.tipChanged([{ number: 3, hash: TIP.hash }])
  news.transactionsAdded([Buffer.from([5, 6])])
  // An answer comes behind what was told before.
  await chain.addTransactions([Buffer.from([1, 2])])
  t.same(heard, [{ tip: TIP, enacted: [{ number: 3, hash: TIP.hash }] }, [Buffer.from([5, 6])]])
  endTips()
  endTransactions()
  news.tipChanged([])
  news.transactionsAdded([Buffer.from([7])])
  await chain.addTransactions([Buffer.from([1, 2])])
  t.equal(heard.length, 2)
})

t.test('when the chain thread ends nobody waits for good', async (t) => {
  const service = new FakeService()
  service.gate = new Promise(() => undefined)
  const { chain, end } = await openLink(t, service)
  const waiting = chain.connect([Buffer.from('c0', 'hex')])
  waiting.catch(() => undefined)
  while (service.calls.length === 0) await sleep(1)
  end()
  await t.rejects(waiting, new SyncLinkError('the chain thread has ended'))
})

t.test('the chain connects all turns of a call in order and ends with the first refusal', async (t) => {
  const maker = new BlockMaker(t, regtest)
  const blocks = maker.extend(maker.genesis, 30)
  const { core } = openLocalNode(t, { dataDir: testFolder(t), mining: false })
  const service = createSyncService(core)
  const read = (encoded: readonly Buffer[]): ReadBlock[] =>
    encoded.map((rlp, position) => ({ rlp, senders: null, position }))
  const encoded = blocks.map((block) => block.encoded)
  t.same(
    await service.connect(read(encoded.slice(0, 10))),
    Array.from({ length: 10 }, () => BEST),
  )
  t.equal(service.tip.number, 10)
  t.same(service.tip.hash, blocks[9]?.hash)
  t.same(await service.connect(read(encoded.slice(9, 11))), [{ status: 'EXIST' }, BEST])
  t.same(await service.connect(read(encoded.slice(20, 21))), [{ status: 'NO_PARENT' }])

  const [broken] = await service.connect(read([Buffer.from('c3010203', 'hex')]))
  t.match(broken, { status: 'INVALID_BLOCK', refusal: { rule: 'encoding', number: -1 } })
  const outcomes = await service.connect(
    read([encoded[11] as Buffer, Buffer.from('c0', 'hex'), encoded[12] as Buffer]),
  )
  t.same(
    outcomes.map(({ status }) => status),
    ['IMPORTED_BEST', 'INVALID_BLOCK'],
    'what stands behind a refused block is not looked at',
  )
  t.equal(service.tip.number, 12)
  t.same(await service.connect([]), [])
})

t.test('an error of this node leaves a block undecided', async (t) => {
  const maker = new BlockMaker(t, regtest)
  const [first, second] = maker.extend(maker.genesis, 2)
  if (first === undefined || second === undefined) throw new Error('no blocks')
  const { core } = openLocalNode(t, { dataDir: testFolder(t), mining: false })
  const service = createSyncService(core)
  const error = new UndecidedBlockError(first.header, new Error('no memory'))
  core.connectFromPeers = () => [{ status: 'UNDECIDED', error }]
  const read = [first, second].map(({ encoded: rlp }, position) => ({ rlp, senders: null, position }))
  t.same(await service.connect(read), [{ status: 'UNDECIDED', reason: error.message }])
})

t.test('transactions of peers are added, known, refused or invalid, each in its place', async (t) => {
  const { core } = openLocalNode(t, { dataDir: testFolder(t), mining: false })
  const service = createSyncService(core)
  const price = 1_000_000_000n
  const good = signedTransaction({ from: COW, gasPrice: price }).encoded
  const poor = signedTransaction({ from: STRANGER, gasPrice: price }).encoded
  const foreign = signedTransaction({ from: COW, nonce: 1n, gasPrice: price, chainId: 30 }).encoded
  const next = signedTransaction({ from: COW, nonce: 1n, gasPrice: price }).encoded
  const garbage = Buffer.from('c0', 'hex')
  t.same(await service.addTransactions([garbage, good, poor, foreign, next]), [
    'invalid',
    'added',
    'refused',
    'invalid',
    'added',
  ])
  t.same(await service.addTransactions([good]), ['known'])
  t.same(await service.addTransactions([]), [])
})
