import t, { type Test } from 'tap'
import { encodeStrings } from '../../../../src/chain/codec/rlpWriter.ts'
import { networkByName } from '../../../../src/config/networks/byName.ts'
import { keccak256 } from '../../../../src/native/crypto.ts'
import type { PeerMessage } from '../../../../src/p2p/messages/rskMessage.ts'
import { KnownItems } from '../../../../src/sync/relay/knownItems.ts'
import {
  DEFAULT_TRANSACTION_LIMITS,
  TransactionInbox,
  type TransactionLimits,
} from '../../../../src/sync/relay/transactionInbox.ts'
import { MESSAGE_BYTES, TransactionOutbox } from '../../../../src/sync/relay/transactionOutbox.ts'
import type { TransactionOutcome } from '../../../../src/sync/syncChain.ts'
import { BlockMaker } from '../../../support/blockMaker.ts'
import { FakePeer } from '../../../support/fakePeer.ts'

const mainnet = networkByName('main')
const regtest = networkByName('regtest')

/** A transaction in its form; nobody signed it. */
function transaction(nonce: number, dataBytes = 0, r = Buffer.from([1])): Buffer {
  const to = Buffer.alloc(20, 1)
  return encodeStrings([nonce, 1, 21_000, to, 1, Buffer.alloc(dataBytes, 7), 27, r, 1])
}

function peers(t: Test, count: number): FakePeer[] {
  const { genesis } = new BlockMaker(t, regtest)
  return Array.from({ length: count }, () => new FakePeer([genesis]))
}

function inbox(limits: Partial<TransactionLimits> = {}, outcome: TransactionOutcome = 'added') {
  const clock = { now: 0 }
  const batches: Buffer[][] = []
  let release: () => void = () => undefined
  const pool = { isHeld: false, fails: false }
  const made = new TransactionInbox({
    chain: {
      addTransactions: async (encoded) => {
        batches.push([...encoded])
        if (pool.isHeld) {
          await new Promise<void>((resolve) => {
            release = resolve
          })
        }
        if (pool.fails) throw new Error('the pool is gone')
        return encoded.map(() => outcome)
      },
    },
    limits: { ...DEFAULT_TRANSACTION_LIMITS, ...limits },
    now: () => clock.now,
    onKnown: () => undefined,
  })
  return { inbox: made, batches, clock, pool, release: () => release() }
}

t.test('transactions reach the pool once, in batches, and count for their sender', async (t) => {
  const [one, two] = peers(t, 2) as [FakePeer, FakePeer]
  const { inbox: made, batches } = inbox()
  const sent = [transaction(1), transaction(2)]
  made.receive(one, sent)
  made.receive(two, [...sent, transaction(3)])
  made.receive(one, sent)
  await made.settled()
  t.same(batches.flat(), [...sent, transaction(3)])
  t.same(one.scores, ['validTransaction', 'validTransaction'])
  t.same(two.scores, ['validTransaction'])
  t.equal(made.stats.waitingBytes, 0)
})

t.test(
  'what is no transaction, or not signed for this chain, is noted; what is too long is passed by',
  async (t) => {
    const [peer] = peers(t, 1) as [FakePeer]
    const { inbox: made, batches } = inbox({}, 'invalid')
    made.receive(peer, [Buffer.from('c3010203', 'hex'), transaction(1), transaction(1, 131_072)])
    await made.settled()
    t.same(batches, [[transaction(1)]])
    t.same(peer.scores, ['invalidTransaction', 'invalidTransaction'])
    const { inbox: refusing } = inbox({}, 'refused')
    refusing.receive(peer, [transaction(2)])
    await refusing.settled()
    t.equal(peer.scores.length, 2, 'a pool that does not want one blames nobody')
  },
)

t.test('an error of this node blames nobody and ends nothing', async (t) => {
  const [peer] = peers(t, 1) as [FakePeer]
  const { inbox: made, batches, pool } = inbox()
  pool.fails = true
  made.receive(peer, [transaction(1)])
  await made.settled()
  pool.fails = false
  made.receive(peer, [transaction(1)])
  await made.settled()
  t.same(batches, [[transaction(1)], [transaction(1)]], 'nobody has judged it')
  t.same(peer.scores, ['validTransaction'])
})

t.test('bytes that wait are bounded for a peer and for all', async (t) => {
  const many = peers(t, 6)
  const KIB = 1024
  const {
    inbox: made,
    pool,
    release,
    batches,
  } = inbox({
    waitingPerPeer: 256 * KIB,
    waiting: 1024 * KIB,
    bytesPerSecond: 64 * 1024 * KIB,
    perSecond: 1e6,
    batchBytes: 1,
  })
  pool.isHeld = true
  let nonce = 0
  const flood = (peer: FakePeer) => {
    for (let sent = 0; sent < 20; sent += 1) {
      made.receive(
        peer,
        Array.from({ length: 8 }, () => {
          nonce += 1
          return transaction(nonce, 8 * KIB)
        }),
      )
    }
  }
  const [first, ...others] = many as [FakePeer, ...FakePeer[]]
  flood(first)
  t.ok(made.stats.waitingBytes <= 256 * KIB, `${made.stats.waitingBytes} bytes of one`)
  t.ok(made.stats.waitingBytes > 200 * KIB)
  for (const peer of others) flood(peer)
  t.ok(made.stats.waitingBytes <= 1024 * KIB, `${made.stats.waitingBytes} bytes of all`)
  t.ok(made.stats.dropped > 500)
  for (const peer of many) made.peerGone(peer)
  t.equal(made.stats.waitingBytes, 0, 'nothing stays of those that left')
  pool.isHeld = false
  release()
  await made.settled()
  t.equal(batches.length, 1)
})

t.test('a flood of one peer does not keep another from the pool', async (t) => {
  const [flooder, honest] = peers(t, 2) as [FakePeer, FakePeer]
  const { inbox: made, pool, release, batches } = inbox({ batch: 4 })
  pool.isHeld = true
  made.receive(
    flooder,
    Array.from({ length: 500 }, (_, index) => transaction(index + 10)),
  )
  made.receive(honest, [transaction(1)])
  pool.isHeld = false
  release()
  await made.settled()
  t.ok(
    batches
      .slice(0, 2)
      .flat()
      .some((encoded) => encoded.equals(transaction(1))),
    'in the second batch',
  )
})

t.test('a peer brings no more than its rate', async (t) => {
  const [peer] = peers(t, 1) as [FakePeer]
  const { inbox: made, batches, clock } = inbox({ perSecond: 10 })
  const bring = (from: number) =>
    made.receive(
      peer,
      Array.from({ length: 50 }, (_, index) => transaction(from + index)),
    )
  bring(100)
  await made.settled()
  t.equal(batches.flat().length, 20, 'two seconds at once')
  clock.now += 1000
  bring(200)
  await made.settled()
  t.equal(batches.flat().length, 30)
  made.close()
  bring(300)
  t.equal(made.stats.waitingBytes, 0)
})

function messagesOf(peer: FakePeer): (readonly Buffer[])[] {
  return peer.sent.map((message: PeerMessage) =>
    message.type === 'transactions' ? message.transactions : [],
  )
}

t.test('new transactions go to every peer but those that have them, once', async (t) => {
  const clock = { now: 0 }
  const all = peers(t, 3)
  const [sender, one, two] = all as [FakePeer, FakePeer, FakePeer]
  const outbox = new TransactionOutbox(mainnet, { peers: all }, () => clock.now)
  outbox.recordKnown(sender, keccak256(transaction(1)))
  outbox.add([transaction(1), transaction(2)])
  outbox.flush()
  outbox.flush()
  t.same(messagesOf(sender), [[transaction(2)]])
  for (const peer of [one, two]) t.same(messagesOf(peer), [[transaction(1), transaction(2)]])
  clock.now = 60_000
  outbox.flush()
  t.equal(outbox.heldBytes, 0, 'told to all')
})

t.test('a message has 128 KiB at most, one goes at a time, and what found no room goes later', async (t) => {
  const clock = { now: 0 }
  const all = peers(t, 1)
  const [peer] = all as [FakePeer]
  const outbox = new TransactionOutbox(mainnet, { peers: all }, () => clock.now)
  const made = Array.from({ length: 40 }, (_, index) => transaction(index, 10_000))
  outbox.add(made)
  const send = peer.send.bind(peer)
  peer.send = () => false
  outbox.flush()
  peer.send = send
  for (let tick = 0; tick < 10; tick += 1) outbox.flush()
  const messages = messagesOf(peer)
  t.equal(messages.length, 4)
  for (const message of messages) t.ok(Buffer.concat(message).length <= MESSAGE_BYTES)
  t.same(messages.flat(), made)
  outbox.add([transaction(1, 131_020), transaction(2)])
  outbox.flush()
  t.same(messagesOf(peer).at(-1), [transaction(1, 131_020)], 'a long one goes alone')
})

t.test('what is held for slow peers is bounded in bytes', async (t) => {
  const clock = { now: 0 }
  const all = peers(t, 2)
  const [slow, quick] = all as [FakePeer, FakePeer]
  slow.send = () => false
  const outbox = new TransactionOutbox(mainnet, { peers: all }, () => clock.now)
  for (let round = 0; round < 100; round += 1) {
    outbox.add([transaction(round, 100_000)])
    outbox.flush()
    t.ok(outbox.heldBytes <= 4 * 1024 * 1024)
  }
  t.equal(messagesOf(quick).length, 100)
  t.ok(outbox.heldBytes > 3 * 1024 * 1024)
  outbox.peerGone(slow)
  all.shift()
  clock.now = 60_000
  outbox.flush()
  t.equal(outbox.heldBytes, 0)
})

t.test('what comes while nobody is connected waits for the first peer', async (t) => {
  const clock = { now: 0 }
  const all = peers(t, 2)
  const [first, second] = all as [FakePeer, FakePeer]
  const connected: FakePeer[] = []
  const outbox = new TransactionOutbox(mainnet, { peers: connected }, () => clock.now)
  outbox.add([transaction(1)])
  outbox.flush()
  t.ok(outbox.heldBytes > 0)
  connected.push(first)
  outbox.peerCame(first)
  outbox.flush()
  t.same(messagesOf(first), [[transaction(1)]])
  connected.shift()
  outbox.peerGone(first)
  connected.push(second)
  outbox.peerCame(second)
  outbox.flush()
  outbox.flush()
  t.same(messagesOf(second), [[transaction(1)]], 'the connection to the first may have been on its end')
  clock.now = 60_000
  outbox.flush()
  t.equal(outbox.heldBytes, 0)
})

t.test('of what all were told little is held', async (t) => {
  const all = peers(t, 1)
  const outbox = new TransactionOutbox(mainnet, { peers: all }, () => 0)
  const made = Array.from({ length: 5000 }, (_, index) => transaction(index))
  outbox.add(made)
  for (let tick = 0; tick < 10; tick += 1) outbox.flush()
  t.same(messagesOf(all[0] as FakePeer).flat(), made)
  t.equal(
    outbox.heldBytes,
    made.slice(-1024).reduce((sum, { length }) => sum + length, 0),
  )
})

t.test('what a peer sent that went away before it was judged is taken from another', async (t) => {
  const [first, second] = peers(t, 2) as [FakePeer, FakePeer]
  const { inbox: made, pool, release, batches } = inbox({ batch: 1 })
  pool.isHeld = true
  made.receive(first, [transaction(1), transaction(2)])
  made.peerGone(first)
  pool.isHeld = false
  release()
  await made.settled()
  made.receive(second, [transaction(1), transaction(2)])
  await made.settled()
  t.same(batches.flat(), [transaction(1), transaction(2)])
})

t.test('transactions that nobody signed stay on a development chain', async (t) => {
  const all = peers(t, 1)
  const [peer] = all as [FakePeer]
  const outbox = new TransactionOutbox(regtest, { peers: all }, () => 0)
  outbox.add([transaction(1, 0, Buffer.from('impersonated by a development ch', 'latin1')), transaction(2)])
  outbox.flush()
  t.same(messagesOf(peer), [[transaction(2)]])
})

t.test('hashes are kept up to a number', async (t) => {
  const known = new KnownItems(3)
  const hashOf = (byte: number) => Buffer.alloc(32, byte)
  for (const byte of [1, 2, 3, 2, 4]) known.add(hashOf(byte))
  t.equal(known.size, 3)
  t.notOk(known.has(hashOf(1)))
  t.ok(known.has(hashOf(2)) && known.has(hashOf(4)))
  t.notOk(known.add(hashOf(4)))
})
