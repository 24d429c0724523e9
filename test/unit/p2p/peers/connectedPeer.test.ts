import t from 'tap'
import { FRAME_CODES } from '../../../../src/p2p/messages/codes.ts'
import { decodeEthStatus } from '../../../../src/p2p/messages/ethStatus.ts'
import { encodePeerMessage } from '../../../../src/p2p/messages/rskCodec.ts'
import type { PeerMessage } from '../../../../src/p2p/messages/rskMessage.ts'
import { FAKE_STATUS, type FakeConnection } from '../../../support/fakeConnection.ts'
import { ask, FAKE_CHAIN, PeerScene, RHIZOME } from '../../../support/peerScene.ts'
import { settled } from '../../../support/virtualTime.ts'

const HASH = Buffer.alloc(32, 9)
const STATUS: PeerMessage = {
  type: 'status',
  status: { bestNumber: 3, bestHash: HASH, bestParentHash: HASH, totalDifficulty: 5n },
}

t.test('both STATUS are sent at once, 0x10 first', (t) => {
  const { connection } = new PeerScene().connect()
  t.equal(connection.frames[0]?.code, FRAME_CODES.ethStatus)
  t.same(decodeEthStatus(connection.frames[0]?.payload ?? Buffer.alloc(0)), {
    protocolVersion: 62,
    networkId: FAKE_CHAIN.networkId,
    totalDifficulty: 140n,
    bestHash: FAKE_CHAIN.status().bestHash,
    genesisHash: FAKE_CHAIN.genesisHash,
  })
  t.same(connection.messages, [{ type: 'status', status: FAKE_CHAIN.status() }])
  t.end()
})

t.test('STATUS 0x10 of another chain ends the connection with the reason of the reference', (t) => {
  const cases = [
    [{ protocolVersion: 61 }, 'incompatibleProtocol', 0x06],
    [{ networkId: 775 }, 'invalidNetwork', 0x07],
    [{ genesisHash: HASH }, 'unexpectedGenesis', 0x11],
    [{}, undefined, undefined],
  ] as const
  for (const [status, event, reason] of cases) {
    const scene = new PeerScene()
    const { connection } = scene.connect()
    connection.tellStatus(status)
    t.equal(connection.closedWith, reason)
    t.same(scene.judge.names(), event === undefined ? [] : [event])
  }
  t.end()
})

t.test('a peer is one after its first message, or a second after a handshake in silence', async (t) => {
  const scene = new PeerScene()
  const { connection, peer } = scene.connect()
  t.same(scene.ready, [])
  void connection.deliver(STATUS)
  t.same(scene.ready, [peer], 'no 0x10 is asked for')
  t.match(peer.status, { bestNumber: 3, totalDifficulty: 5n, receivedAt: scene.time.now() })
  await settled()
  t.same(
    scene.messages.map(({ type }) => type),
    ['status'],
  )
  const silent = scene.connect({ id: 2 })
  await scene.time.pass(999)
  t.notOk(silent.peer.isReady)
  await scene.time.pass(1)
  t.same(scene.ready, [peer, silent.peer])
  t.equal(silent.peer.status, null)
})

t.test('an answer goes to the question of its id and type', async (t) => {
  const scene = new PeerScene()
  const { connection, peer } = scene.connect()
  const [one, two] = [peer, peer].map((asked) => ask(asked, { type: 'blockHashRequest', height: 5 }, 1000))
  t.same(
    connection.messages.slice(1).map((message) => ('id' in message ? message.id : null)),
    [1n, 2n],
  )
  await scene.time.pass(40)
  void connection.deliver({ type: 'blockResponse', id: 1n, block: Buffer.from([0xc0]) })
  t.same(scene.judge.names(), ['unexpectedMessage'], 'another type')
  void connection.deliver({ type: 'blockHashResponse', id: 2n, hash: HASH })
  void connection.deliver({ type: 'blockHashResponse', id: 1n, hash: FAKE_STATUS.bestHash })
  t.same(await two, { type: 'blockHashResponse', id: 2n, hash: HASH })
  t.equal((await one)?.hash.equals(FAKE_STATUS.bestHash), true)
  t.equal(peer.latency, 40)
  void connection.deliver({ type: 'blockHashResponse', id: 1n, hash: HASH })
  t.same(scene.judge.names(), ['unexpectedMessage', 'unexpectedMessage'], 'a second answer')
  t.same(scene.messages, [], 'no answer goes to the listener')
  const other = scene.connect({ id: 2 })
  void ask(other.peer, { type: 'blockHashRequest', height: 5 }, 1000).catch(() => undefined)
  t.match(other.connection.messages[1], { id: 3n }, 'ids count for the process')
})

t.test('a question without an answer ends by time, and with the peer', async (t) => {
  const scene = new PeerScene()
  const { connection, peer } = scene.connect()
  const late = ask(peer, { type: 'bodyRequest', hash: HASH }, 30_000)
  const never = ask(peer, { type: 'bodyRequest', hash: HASH }, 60_000)
  const failures = Promise.all([late, never].map((asked) => asked.catch((error: unknown) => error)))
  await scene.time.pass(30_000)
  t.same(scene.judge.names(), ['timeoutMessage'])
  connection.leave()
  t.match(await failures, [{ code: 'TIMEOUT' }, { code: 'GONE' }])
  t.same(scene.gone, [peer])
  await t.rejects(ask(peer, { type: 'bodyRequest', hash: HASH }, 1), { code: 'GONE' })
  t.equal(peer.allowance, 0)
  t.notOk(peer.send(STATUS))
  t.equal(scene.time.waiting, 0, 'no timer is left')
  t.equal(scene.services.memory.used, 0)
})

t.test('codes that are not used and malformed messages end the connection without DISCONNECT', (t) => {
  const { payload } = encodePeerMessage(STATUS)
  const range = encodePeerMessage({ type: 'blockRangeRequest', id: 1n, hash: HASH, count: 1 })
  const frames: readonly [number, Buffer][] = [
    [0x12, payload],
    [FRAME_CODES.rskMessage, Buffer.from([0xc2, 0xc1, 0x04])],
    [range.code, range.payload],
  ]
  for (const [code, bytes] of frames) {
    const scene = new PeerScene()
    const { connection } = scene.connect()
    void connection.receive(code, bytes)
    t.equal(connection.closedWith, null, `code ${code}`)
    t.same(scene.judge.names(), [], 'no event')
  }
  const { connection, peer } = new PeerScene().connect({ capabilities: RHIZOME })
  t.ok(peer.ranges)
  void connection.receive(range.code, range.payload)
  t.equal(connection.closedWith, undefined)
  t.end()
})

t.test('what is punished closes the connection', (t) => {
  const { connection, peer } = new PeerScene().connect()
  peer.score('validBlock')
  t.equal(connection.closedWith, undefined)
  t.equal(peer.seat.useful, 1)
  peer.score('invalidBlock')
  t.equal(connection.closedWith, null, 'without DISCONNECT')
  t.end()
})

t.test('the same block or transactions again are left out', async (t) => {
  const scene = new PeerScene()
  const first = scene.connect()
  const second = scene.connect({ id: 2 })
  const block: PeerMessage = { type: 'block', block: Buffer.from([0xc1, 0x01]) }
  const transactions: PeerMessage = { type: 'transactions', transactions: [Buffer.from([0xc1, 0x02])] }
  for (const message of [block, transactions]) {
    for (const { connection } of [first, second, first]) void connection.deliver(message)
  }
  await settled()
  t.same(scene.messages, [block, transactions])
  t.same(scene.judge.events, [
    { id: first.peer.id, event: 'repeatedMessage' },
    { id: first.peer.id, event: 'repeatedMessage' },
  ])
  void first.connection.deliver(STATUS)
  void first.connection.deliver(STATUS)
  await settled()
  t.equal(scene.messages.length, 4, 'other messages may come again')
})

t.test('a peer is heard 1,001 times in a minute of the clock, a rhizome without such a limit', async (t) => {
  for (const [capabilities, heard] of [
    [undefined, 1001],
    [RHIZOME, 1500],
  ] as const) {
    const scene = new PeerScene()
    await scene.time.pass(60_000 - (scene.time.now() % 60_000))
    const { connection, peer } = scene.connect(capabilities === undefined ? {} : { capabilities })
    await deliverMany(connection, 1500)
    t.equal(scene.messages.length, heard)
    t.equal(peer.counts.excess, 1500 - heard)
    await scene.time.pass(60_000)
    void connection.deliver(STATUS)
    await settled()
    t.equal(scene.messages.length, heard + 1, 'the next minute is a new one')
  }
})

t.test('a trusted peer is heard ten times as often', async (t) => {
  const scene = new PeerScene()
  await scene.time.pass(60_000 - (scene.time.now() % 60_000))
  const { connection } = scene.connect({}, true)
  await deliverMany(connection, 1500)
  t.equal(scene.messages.length, 1500)
})

t.test('answers to open questions are no part of what is heard in a minute', async (t) => {
  const scene = new PeerScene()
  await scene.time.pass(60_000 - (scene.time.now() % 60_000))
  const { connection, peer } = scene.connect()
  const asked = ask(peer, { type: 'blockHashRequest', height: 5 }, 60_000)
  await deliverMany(connection, 1500)
  void connection.deliver({ type: 'blockHashResponse', id: 1n, hash: HASH })
  t.match(await asked, { hash: HASH })
  t.equal(scene.messages.length, 1001, 'all else is')
})

t.test('an error of this node while it deals with a message costs the peer nothing', async (t) => {
  const scene = new PeerScene()
  scene.deal = () => {
    throw new Error('a fault of ours')
  }
  const { connection } = scene.connect()
  await deliverMany(connection, 2)
  t.equal(scene.messages.length, 2)
  t.equal(connection.closedWith, undefined)
  t.same(scene.judge.names(), [])
})

/** Tells it all the same where reading would wait. */
async function deliverMany(connection: FakeConnection, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += 1) {
    void connection.deliver(STATUS)
    if (sent % 100 === 0) await settled()
  }
  await settled()
}
