import t from 'tap'
import { encodeBytes } from '../../../../src/chain/codec/rlpWriter.ts'
import type { PeerMessage } from '../../../../src/p2p/messages/rskMessage.ts'
import { ask, PeerScene, RHIZOME } from '../../../support/peerScene.ts'

const MIB = 1024 * 1024
const HASH = Buffer.alloc(32, 9)
const STATUS: PeerMessage = {
  type: 'status',
  status: { bestNumber: 3, bestHash: HASH, bestParentHash: HASH, totalDifficulty: 5n },
}

/** Messages that a connection takes before it waits. */
function takenAtOnce(deliver: () => void | Promise<void>): { count: number; wait: Promise<void> } {
  for (let count = 0; count < 3000; count += 1) {
    const wait = deliver()
    if (wait !== undefined) return { count, wait }
  }
  throw new Error('it never waits')
}

t.test('who counts no messages is read slowly once it sends too much that nobody asked for', async (t) => {
  const scene = new PeerScene()
  const { connection } = scene.connect({ capabilities: RHIZOME })
  const { count, wait } = takenAtOnce(() => connection.deliver(STATUS))
  t.equal(count, 2000)
  let isOver = false
  void wait.then(() => {
    isOver = true
  })
  await scene.time.pass(1)
  t.notOk(isOver)
  await scene.time.pass(1)
  t.ok(isOver, 'a five hundredth of a second later')
})

t.test('messages beyond the minute are dropped, and read slowly', async (t) => {
  const scene = new PeerScene()
  const { connection, peer } = scene.connect()
  const { count } = takenAtOnce(() => connection.deliver(STATUS))
  t.equal(count, 1001 + 100)
  t.equal(peer.counts.excess, 101)
})

t.test('bytes wait as well unless an answer is awaited', async (t) => {
  const scene = new PeerScene()
  const { connection, peer } = scene.connect()
  t.equal(connection.onBytes(4 * MIB), undefined)
  const wait = connection.onBytes(MIB)
  t.ok(wait)
  await scene.time.pass(500)
  await wait
  const answer = ask(peer, { type: 'blockRequest', hash: HASH }, 1000).catch(() => undefined)
  t.equal(connection.onBytes(100 * MIB), undefined)
  await scene.time.pass(1000)
  await answer
})

t.test('answers are awaited, whatever their number and size', async (t) => {
  const scene = new PeerScene()
  const { connection, peer } = scene.connect({ capabilities: RHIZOME })
  const block = encodeBytes(Buffer.alloc(1 << 14))
  const waits: unknown[] = []
  for (let id = 1n; id <= 3000n; id += 1n) {
    const answer = ask(peer, { type: 'blockRequest', hash: HASH }, 1000)
    waits.push(connection.deliver({ type: 'blockResponse', id, block }))
    await answer
  }
  t.ok(waits.every((wait) => wait === undefined))
})
