import t from 'tap'
import type { PeerMessage } from '../../../../src/p2p/messages/rskMessage.ts'
import type { ConnectedPeer } from '../../../../src/p2p/peers/connectedPeer.ts'
import type { FakeConnection } from '../../../support/fakeConnection.ts'
import { ask, PeerScene, RHIZOME } from '../../../support/peerScene.ts'
import { createRandom } from '../../../support/random.ts'

const HASH = Buffer.alloc(32, 9)
const ANNOUNCEMENT: PeerMessage = { type: 'newBlockHashes', blocks: [{ hash: HASH, number: 1 }] }
const STEP_MS = 10

/** Drops like RSKj: what comes after 1,001 messages in a minute of its clock (p2p.md §4 Limits). */
class CountingReader {
  handled = 0
  dropped = 0
  readonly #skew: number
  #minute = -1
  #count = 0

  constructor(skew: number) {
    this.#skew = skew
  }

  take(now: number): void {
    const minute = Math.floor((now + this.#skew) / 60_000)
    if (minute !== this.#minute) {
      this.#minute = minute
      this.#count = 0
    }
    this.#count += 1
    if (this.#count <= 1001) this.handled += 1
    else this.dropped += 1
  }
}

/** Runs a peer against readers whose clocks differ, messages up to `jitter` ms late in their order. */
async function run(
  minutes: number,
  jitter: number,
  work: (peer: ConnectedPeer, now: number, connection: FakeConnection) => void,
): Promise<readonly CountingReader[]> {
  const scene = new PeerScene()
  const { connection, peer } = scene.connect()
  const random = createRandom(7)
  const readers = [0, 1, 17_000, 31_500, 59_999].map((skew) => new CountingReader(skew))
  let seen = 0
  let lastArrival = 0
  for (let step = 0; step < (minutes * 60_000) / STEP_MS; step += 1) {
    work(peer, scene.time.now(), connection)
    await scene.time.pass(STEP_MS)
    for (; seen < connection.frames.length; seen += 1) {
      // The first frame is STATUS 0x10, which is none of the messages that are counted.
      if (seen === 0) continue
      lastArrival = Math.max(lastArrival, scene.time.now() + random() * jitter)
      for (const reader of readers) reader.take(lastArrival)
    }
  }
  return readers
}

t.test('nothing of ours is dropped by a reader that counts, and its minute is used', async (t) => {
  const readers = await run(3, 1000, (peer) => {
    for (; peer.allowance >= 1; )
      void ask(peer, { type: 'bodyRequest', hash: HASH }, 30_000).catch(() => undefined)
  })
  for (const reader of readers) {
    t.equal(reader.dropped, 0)
    // 95 % of the 16.6 a second that the reader takes (issue: speed).
    t.ok(reader.handled >= 3 * 60 * 16.6 * 0.95, `${reader.handled} in 3 minutes`)
  }
})

t.test('nothing is dropped when questions, answers and announcements come as fast as they can', async (t) => {
  const readers = await run(3, 1000, (peer) => {
    for (; peer.allowance >= 1; )
      void ask(peer, { type: 'bodyRequest', hash: HASH }, 30_000).catch(() => undefined)
    for (let each = 0; each < 3; each += 1) peer.send(ANNOUNCEMENT)
    peer.send({ type: 'blockHashResponse', id: 1n, hash: HASH })
    peer.send({ type: 'transactions', transactions: [Buffer.from([0xc0])] })
  })
  for (const reader of readers) t.equal(reader.dropped, 0)
})

t.test('answers leave in their order, spaced', async (t) => {
  const scene = new PeerScene()
  const { connection, peer } = scene.connect()
  const answers = Array.from({ length: 100 }, (_, id) => ({
    type: 'blockHashResponse' as const,
    id: BigInt(id + 1),
    hash: HASH,
  }))
  for (const answer of answers) t.ok(peer.send(answer))
  t.ok(connection.messages.length <= 1 + 24, 'a few at once')
  await scene.time.pass(1000)
  t.ok(connection.messages.length <= 1 + 24 + 16, 'then 16 a second')
  await scene.time.pass(4000)
  t.same(connection.messages.slice(1), answers)
})

t.test('announcements do not wait behind answers, and questions find no place behind many', async (t) => {
  const scene = new PeerScene()
  const { connection, peer } = scene.connect()
  for (let id = 1n; id <= 100n; id += 1n) peer.send({ type: 'blockHashResponse', id, hash: HASH })
  peer.send(ANNOUNCEMENT)
  t.same(connection.messages.at(-1), ANNOUNCEMENT)
  t.equal(peer.allowance, 1, 'one question is let through')
  void ask(peer, { type: 'bodyRequest', hash: HASH }, 1000).catch(() => undefined)
  t.equal(peer.allowance, 0)
  await t.rejects(ask(peer, { type: 'bodyRequest', hash: HASH }, 1000), { code: 'BUSY' })
  let asked = 0
  for (let step = 0; step < 200; step += 1) {
    if (peer.allowance >= 1) {
      asked += 1
      void ask(peer, { type: 'bodyRequest', hash: HASH }, 1000).catch(() => undefined)
    }
    await scene.time.pass(STEP_MS)
  }
  const answered = connection.messages.filter(({ type }) => type === 'blockHashResponse').length - 23
  t.ok(asked >= 10, `${asked} questions in 2 s`)
  t.ok(answered >= 10, `${answered} answers in 2 s`)
})

t.test('blocks asked for by GET_BLOCK go by the pace, too; a block of our own does not', async (t) => {
  const scene = new PeerScene()
  const { connection, peer } = scene.connect()
  const block: PeerMessage = { type: 'block', block: Buffer.from([0xc1, 0xc0]) }
  for (let each = 0; each < 500; each += 1) t.ok(peer.send(block, true))
  // A reference that looks for the ancestors of a block asks for them one by one, and meanwhile for bodies.
  const body: PeerMessage = { type: 'blockHashResponse', id: 1n, hash: HASH }
  peer.send(body)
  t.ok(connection.messages.length <= 1 + 24, 'a few at once')
  const sent = connection.messages.length
  peer.send(block)
  t.equal(connection.messages.length, sent + 1)
  await scene.time.pass(60_000)
  t.same(connection.messages.at(-1), body)
})

t.test('between nodes of this kind nothing is counted', async (t) => {
  const { connection, peer } = new PeerScene().connect({ capabilities: RHIZOME })
  t.equal(peer.allowance, Number.POSITIVE_INFINITY)
  for (let id = 1n; id <= 1500n; id += 1n) peer.send({ type: 'blockHashResponse', id, hash: HASH })
  t.equal(connection.messages.length, 1501)
})
