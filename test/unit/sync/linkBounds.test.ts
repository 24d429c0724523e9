import { setImmediate as turn } from 'node:timers/promises'
import { MessageChannel } from 'node:worker_threads'
import t from 'tap'
import type { ReadBlock } from '../../../src/chain/import/messages.ts'
import { networkByName } from '../../../src/config/networks/byName.ts'
import type { Peer } from '../../../src/p2p/peer.ts'
import { JudgedBlocks } from '../../../src/sync/client/judgedBlocks.ts'
import { ByteGate } from '../../../src/sync/link/byteGate.ts'
import { ChainEventQueue, DEFAULT_NEWS_LIMITS } from '../../../src/sync/link/chainEventQueue.ts'
import { LINK_BYTES, openLinkedChain } from '../../../src/sync/link/linkedChain.ts'
import type { SyncLinkEvent } from '../../../src/sync/link/messages.ts'
import { createSyncLink } from '../../../src/sync/link/serveSyncLink.ts'
import type { BlockOutcome, ChainTip } from '../../../src/sync/syncChain.ts'
import { openTestChain } from '../../support/openTestChain.ts'

const KIB = 1024
const MIB = 1024 * KIB
const BLOCK_BYTES = MIB
/** Turns of the event loop that messages between two ports of this thread take, and many more. */
const TURNS = 50

function tipAt(number: number): ChainTip {
  return {
    number,
    hash: Buffer.alloc(32, number),
    parentHash: Buffer.alloc(32),
    totalDifficulty: BigInt(number),
  }
}

async function turns(): Promise<void> {
  for (let count = 0; count < TURNS; count += 1) await turn()
}

/** A line to a thread that says what it heard only when it is told to. */
function newsTo() {
  const head = { number: 1 }
  const line = new ChainEventQueue(() => tipAt(head.number))
  const told: SyncLinkEvent[] = []
  const tell = (notice: SyncLinkEvent) => void told.push(notice)
  return { line, head, told, tell, hear: () => line.acknowledged(tell) }
}

function bytesOf(notices: readonly SyncLinkEvent[]): number {
  return notices
    .flatMap((notice) => (notice.kind === 'transactions' ? notice.encoded : []))
    .reduce((sum, { length }) => sum + length, 0)
}

t.test('a slow peer thread: heads between are left out, of transactions the oldest', async (t) => {
  const { line, head, told, tell, hear } = newsTo()
  line.attach(tell, [])
  for (let number = 2; number <= 20_000; number += 1) {
    head.number = number % 256
    line.tipChanged([{ number, hash: Buffer.alloc(32, number % 256) }])
    line.transactionsAdded([Buffer.alloc(KIB, number % 256)])
  }
  const { unacknowledgedBytes, waitingBytes, noticeBytes } = DEFAULT_NEWS_LIMITS
  const { stats } = line
  t.ok(
    stats.unacknowledgedBytes <= unacknowledgedBytes + noticeBytes,
    `${stats.unacknowledgedBytes} bytes under way`,
  )
  t.ok(bytesOf(told) <= unacknowledgedBytes + noticeBytes)
  t.ok(stats.waitingBytes <= waitingBytes, `${stats.waitingBytes} bytes wait`)
  t.ok(stats.waitingBytes > waitingBytes - 2 * KIB, 'as many as there is room for')
  t.ok(stats.dropped > 10_000)

  told.length = 0
  for (let notices = 0; notices < 20_000; notices += 1) hear()
  t.same(line.stats, { unacknowledgedBytes: 0, waitingBytes: 0, dropped: stats.dropped })
  const tips = told.filter((notice) => notice.kind === 'tip')
  t.equal(tips.length, 1, 'one head for all that changed meanwhile')
  t.equal(tips[0]?.tip.number, 20_000 % 256)
  t.equal(tips[0]?.enacted.length, DEFAULT_NEWS_LIMITS.enacted)
  t.equal(tips[0]?.enacted.at(-1)?.number, 20_000)
  const last = told.flatMap((notice) => (notice.kind === 'transactions' ? notice.encoded : [])).at(-1)
  t.same(last, Buffer.alloc(KIB, 20_000 % 256), 'the newest transaction is among those that are told')
})

t.test('a thread that takes the place of another hears of the head and of what is pending', async (t) => {
  const { line, head, told, tell, hear } = newsTo()
  line.attach(tell, [])
  line.transactionsAdded([Buffer.from([1])])
  line.detach(tell)
  head.number = 9
  line.tipChanged([{ number: 9, hash: Buffer.alloc(32, 9) }])
  line.transactionsAdded([Buffer.from([2])])
  t.equal(told.length, 2, 'nobody is told while there is nobody')
  t.equal(line.stats.waitingBytes, 0)
  const next: SyncLinkEvent[] = []
  line.attach((notice) => next.push(notice), [Buffer.from([1]), Buffer.from([2])])
  t.match(next, [
    { kind: 'tip', tip: { number: 9 } },
    { kind: 'transactions', encoded: [Uint8Array.of(1), Uint8Array.of(2)] },
  ])
  hear()
  line.detach(tell)
  line.tipChanged([])
  t.equal(next.length, 3, 'what the thread before did late changes nothing')
  const most = Array.from({ length: 6000 }, () => Buffer.alloc(KIB))
  const many: SyncLinkEvent[] = []
  const late = (notice: SyncLinkEvent) => void many.push(notice)
  line.attach(late, most)
  for (let notices = 0; notices < 100; notices += 1) line.acknowledged(late)
  t.ok(bytesOf(many) <= DEFAULT_NEWS_LIMITS.waitingBytes && bytesOf(many) > 3 * MIB, 'of many as many as fit')
})

t.test('a slow chain thread: what is on its way to it is bounded, and all of it arrives', async (t) => {
  const { port1, port2 } = new MessageChannel()
  const got: number[] = []
  let open: () => void = () => undefined
  let gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const sizes = { posted: 0 }
  const post = port1.postMessage.bind(port1)
  port1.postMessage = (message: { blocks?: { rlp: Uint8Array } }, transfer?: unknown) => {
    sizes.posted += message.blocks?.rlp.length ?? 0
    post(message, transfer as never)
  }
  const link = createSyncLink({
    tip: tipAt(1),
    pending: () => [],
    connect: async (blocks: readonly ReadBlock[]): Promise<BlockOutcome[]> => {
      await gate
      got.push(...blocks.map(({ rlp }) => rlp[0] ?? 0))
      return blocks.map(() => ({ status: 'IMPORTED_BEST' }))
    },
    addTransactions: async () => [],
  })
  link.serve(port2)
  const chain = await openLinkedChain(port1, networkByName('regtest'), openTestChain(t).environment)
  t.teardown(() => chain.close())
  const blocks = Array.from({ length: 64 }, (_, index) => Buffer.alloc(BLOCK_BYTES, index))
  const connected = Promise.all(blocks.map((block) => chain.connect([block])))
  await turns()
  t.ok(sizes.posted <= LINK_BYTES, `${sizes.posted} bytes are on their way`)
  t.ok(sizes.posted > LINK_BYTES - 2 * BLOCK_BYTES, 'as much as there is room for')
  open()
  gate = Promise.resolve()
  t.equal((await connected).flat().length, 64)
  t.same(
    got,
    blocks.map((_, index) => index),
    'in their order',
  )
  t.equal(sizes.posted, 64 * BLOCK_BYTES)
})

t.test('what is larger than the gate enters alone, and nobody passes it', async (t) => {
  const gate = new ByteGate(10)
  const entered: string[] = []
  const enter = (name: string, bytes: number) => void gate.enter(bytes).then(() => entered.push(name))
  enter('small', 4)
  enter('large', 50)
  enter('behind', 1)
  await turn()
  t.same(entered, ['small'])
  gate.leave(4)
  await turn()
  t.same(entered, ['small', 'large'])
  gate.leave(50)
  await turn()
  t.same(entered, ['small', 'large', 'behind'])
  t.equal(gate.bytes, 1)
})

t.test('blocks of peers that wait for a judgement are bounded for one and for all', async (t) => {
  const judged = new JudgedBlocks({ waitingBytesPerPeer: 3, waitingBytes: 10 })
  const [one, two] = [{}, {}] as [Peer, Peer]
  t.ok(judged.add(one, 'a', 2))
  t.notOk(judged.add(one, 'b', 2))
  t.ok(judged.add(two, 'c', 8), 'the first of a peer may be large')
  t.notOk(judged.add({} as Peer, 'd', 1), 'all together')
  t.equal(judged.bytes, 10)
  t.ok(judged.has('c'))
  judged.remove('c')
  t.notOk(judged.has('c'))
  t.ok(judged.add({} as Peer, 'd', 1))
})
