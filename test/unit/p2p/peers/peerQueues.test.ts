import t from 'tap'
import { encodeBytes, encodeList } from '../../../../src/chain/codec/rlpWriter.ts'
import type { PeerMessage } from '../../../../src/p2p/messages/rskMessage.ts'
import { createPeerLimits } from '../../../../src/p2p/peers/limits.ts'
import type { FakeConnection } from '../../../support/fakeConnection.ts'
import { PeerScene, RHIZOME } from '../../../support/peerScene.ts'
import { settled } from '../../../support/virtualTime.ts'

const MIB = 1024 * 1024
const HASH = Buffer.alloc(32, 9)
const never = () => new Promise<void>(() => undefined)

/** Blocks of so many bytes, all different. */
function blockOf(bytes: number, seed: number): PeerMessage {
  const content = Buffer.alloc(bytes, 1)
  content.writeUInt32BE(seed, 0)
  return { type: 'block', block: encodeList([encodeBytes(content)]) }
}

function answerOf(bytes: number, id: number): PeerMessage {
  return { type: 'blockResponse', id: BigInt(id), block: encodeList([encodeBytes(Buffer.alloc(bytes, 1))]) }
}

t.test('what waits for its turn is bounded in bytes, for one peer and for all', async (t) => {
  const limits = { ...createPeerLimits(30), peerBytes: 3 * MIB, totalBytes: 5 * MIB }
  const scene = new PeerScene(limits)
  scene.deal = never
  const peers = [1, 2, 3].map((id) => scene.connect({ id }))
  let seed = 0
  for (const { connection } of peers) {
    for (let sent = 0; sent < 12; sent += 1) {
      seed += 1
      void connection.deliver(blockOf(512 * 1024, seed))
    }
  }
  const { memory } = scene.services
  t.ok(memory.used > 4 * MIB && memory.used <= 5 * MIB, `${memory.used} bytes`)
  for (const { peer } of peers) t.ok(peer.held.bytes <= 3 * MIB)
  t.ok(peers.every(({ peer }) => peer.held.droppedIn > 0))
  const { refused } = memory.stats()
  t.ok(refused.peer > 0 && refused.total > 0, 'each limit was met')
  for (const { connection } of peers) connection.leave()
  t.equal(memory.used, 0, 'and given back with the peer')
  t.equal(scene.services.outgoing.used, 0)
})

t.test('where all have too much, who has most is ended for who has less', async (t) => {
  const scene = new PeerScene({ ...createPeerLimits(30), peerBytes: 3 * MIB, totalBytes: 5 * MIB })
  scene.deal = never
  const [greedy, other, modest] = [1, 2, 3].map((id) => scene.connect({ id }))
  let seed = 0
  const fill = (connection: FakeConnection | undefined, count: number) => {
    for (let sent = 0; sent < count; sent += 1) {
      seed += 1
      void connection?.deliver(blockOf(512 * 1024, seed))
    }
  }
  fill(greedy?.connection, 5)
  fill(other?.connection, 4)
  t.equal(greedy?.connection.closedWith, undefined)
  fill(modest?.connection, 1)
  t.equal(greedy?.connection.closedWith, null)
  t.equal(other?.connection.closedWith, undefined)
  t.equal(modest?.peer.held.droppedIn, 0)
  const { used, reclaimed } = scene.services.memory.stats()
  t.equal(reclaimed, 1)
  t.ok(used < 3 * MIB)
})

t.test('a message that found no room may come again', async (t) => {
  const scene = new PeerScene({ ...createPeerLimits(30), peerBytes: MIB })
  const [first, second] = [scene.connect(), scene.connect({ id: 2 })]
  const block = blockOf(700 * 1024, 1)
  let release: () => void = () => undefined
  scene.deal = () =>
    new Promise((resolve) => {
      release = resolve
    })
  void first.connection.deliver(blockOf(700 * 1024, 2))
  void first.connection.deliver(block)
  t.equal(first.peer.held.droppedIn, 1)
  release()
  await settled()
  void second.connection.deliver(block)
  t.equal(scene.messages.length, 2)
})

t.test('a connection is not read while much waits', async (t) => {
  const scene = new PeerScene()
  let release: () => void = () => undefined
  scene.deal = () =>
    new Promise((resolve) => {
      release = resolve
    })
  const { connection } = scene.connect()
  let paused = 0
  for (let seed = 0; seed < 3; seed += 1) {
    const reading = connection.deliver(blockOf(2 * MIB, seed))
    if (reading !== undefined) {
      paused += 1
      void reading.then(() => {
        paused -= 1
      })
    }
  }
  t.equal(paused, 2, 'from 4 MiB on')
  release()
  await settled()
  t.equal(paused, 2, 'the second has been begun only')
  release()
  await settled()
  t.equal(paused, 0)
})

t.test('at most 2,000 messages wait', async (t) => {
  const scene = new PeerScene()
  scene.deal = never
  const { connection, peer } = scene.connect({ capabilities: RHIZOME })
  for (let seed = 0; seed < 2100; seed += 1) void connection.deliver(blockOf(300, seed))
  // One is being dealt with and waits no longer.
  t.equal(peer.held.droppedIn, 99)
})

t.test('questions wait until their answers can leave, other messages pass them', async (t) => {
  const scene = new PeerScene()
  const { connection, peer } = scene.connect({ capabilities: RHIZOME })
  connection.isBlocked = true
  scene.deal = (message) => {
    if (message.type === 'blockRequest') peer.send(answerOf(MIB, Number(message.id)))
  }
  for (let id = 1n; id <= 20n; id += 1n) void connection.deliver({ type: 'blockRequest', id, hash: HASH })
  void connection.deliver(blockOf(300, 1))
  await settled()
  const asked = () => scene.messages.filter(({ type }) => type === 'blockRequest').length
  t.ok(asked() >= 1 && asked() <= 3, `${asked()} questions were looked at`)
  t.equal(scene.messages.at(-1)?.type, 'block')
  t.equal(peer.held.droppedOut, 0)
  connection.isBlocked = false
  connection.bufferedBytes = 0
  await scene.time.pass(1000)
  t.equal(asked(), 20)
  t.equal(answersOf(connection), 20)
})

t.test('what waits to be sent is bounded in bytes, for one peer and for all', async (t) => {
  const scene = new PeerScene({
    ...createPeerLimits(30),
    outgoingPeerBytes: 2 * MIB,
    outgoingTotalBytes: 3 * MIB,
  })
  const peers = [1, 2, 3].map((id) => scene.connect({ id, capabilities: RHIZOME }))
  for (const [index, { connection, peer }] of peers.entries()) {
    connection.isBlocked = true
    for (let id = 0; id < (index === 2 ? 3 : 10); id += 1) peer.send(answerOf(300 * 1024, id))
  }
  const { outgoing, memory } = scene.services
  t.same(
    peers.map(({ peer }) => peer.held.bytes > 1.4 * MIB && peer.held.bytes <= 2 * MIB),
    [false, true, false],
    'the first was ended for those that had less',
  )
  t.equal(peers[0]?.connection.closedWith, null)
  t.ok(outgoing.used > 2 * MIB && outgoing.used <= 3 * MIB, `${outgoing.used} bytes`)
  t.equal(peers[1]?.peer.held.droppedOut, 4, 'what one peer has is bounded')
  t.notOk(peers[1]?.peer.send(answerOf(300 * 1024, 1)), 'says that it dropped')
  t.notOk(scene.connect({ id: 4 }).peer.send(answerOf(0x7f_ffff, 1)), 'what fits into no frame is not sent')
  for (const { connection } of peers) {
    connection.isBlocked = false
    connection.bufferedBytes = 0
  }
  await scene.time.pass(1000)
  t.equal(outgoing.used, 0)
  t.equal(memory.used, 0)
  t.equal(scene.time.waiting, 0, 'an empty queue has no timer')
})

t.test('who takes nothing for a minute is closed', async (t) => {
  const scene = new PeerScene()
  const { connection, peer } = scene.connect({ capabilities: RHIZOME })
  connection.isBlocked = true
  peer.send(answerOf(100, 1))
  await scene.time.pass(59_000)
  t.equal(connection.closedWith, undefined)
  await scene.time.pass(2000)
  t.equal(connection.closedWith, null)
  const slow = scene.connect({ id: 2, capabilities: RHIZOME })
  slow.connection.isBlocked = true
  for (let id = 0; id < 4; id += 1) slow.peer.send(answerOf(MIB, id))
  for (let step = 0; step < 200; step += 1) {
    slow.connection.bufferedBytes = Math.max(1, slow.connection.bufferedBytes - 1000)
    await scene.time.pass(1000)
  }
  t.equal(slow.connection.closedWith, undefined, 'who takes a little is not')
})

function answersOf(connection: FakeConnection): number {
  return connection.messages.filter(({ type }) => type === 'blockResponse').length
}
