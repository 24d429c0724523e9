import { connect, type Socket } from 'node:net'
import t from 'tap'
import { encodeBytes, encodeList } from '../../../../src/chain/codec/rlpWriter.ts'
import { FRAME_CODES } from '../../../../src/p2p/messages/codes.ts'
import type { PeerMessage } from '../../../../src/p2p/messages/rskMessage.ts'
import { createPeerLimits } from '../../../../src/p2p/peers/limits.ts'
import { openPeerNode, type PeerNode, type PeerNodeOptions, until } from '../../../support/peerNode.ts'
import { ask, FAKE_CHAIN } from '../../../support/peerScene.ts'
import { RawPeer } from '../../../support/rawPeer.ts'

const HASH = Buffer.alloc(32, 9)

/** A packet of a handshake (p2p.md §2) that says it has 400 bytes and ends before. */
const BEGUN = Buffer.alloc(100)
BEGUN.writeUInt16BE(400)

type Teardown = { teardown(end: () => Promise<void>): void }

async function open(t: Teardown, options: PeerNodeOptions = {}): Promise<PeerNode> {
  const node = await openPeerNode(options)
  t.teardown(() => node.network.close())
  return node
}

t.test('two nodes find one another, ask, answer and leave', async (t) => {
  const server = await open(t, { address: '127.1.0.1' })
  server.answer = (peer, message) => {
    if (message.type === 'blockHashRequest')
      peer.send({ type: 'blockHashResponse', id: message.id, hash: HASH })
  }
  const client = await open(t, { address: '127.2.0.1', statics: [server.place], listens: false })
  await until(() => client.network.peers.length === 1 && server.network.peers.length === 1)
  const [peer] = client.network.peers
  t.match(peer, {
    id: server.id,
    address: '127.1.0.1',
    inbound: false,
    trusted: true,
    ranges: true,
    snap: true,
  })
  t.match(server.network.peers[0], {
    id: client.id,
    address: '127.2.0.1',
    inbound: true,
    client: 'test/127.2.0.1',
  })
  await until(() => peer?.status !== null)
  t.match(peer?.status, { bestNumber: FAKE_CHAIN.status().bestNumber })
  t.match(peer && (await ask(peer, { type: 'blockHashRequest', height: 1 }, 5000)), { hash: HASH })
  const stats = client.network.stats()
  t.match(stats, { listening: null, inbound: 0, outbound: 1, halfOpen: 0 })
  t.match(stats.peers[0], {
    id: server.id,
    port: server.place.port,
    bestNumber: 7,
    totalDifficulty: 140n,
    inbound: false,
  })
  t.ok((stats.peers[0]?.bytesIn ?? 0) > 0 && stats.bytesOut > 0)
  t.match(server.network.stats(), { inbound: 1, outbound: 0, listening: { port: server.place.port } })
  await client.network.close()
  await until(() => server.network.peers.length === 0)
  t.same(
    server.gone.map(({ id }) => id),
    [client.id],
  )
  t.same(
    client.gone.map(({ id }) => id),
    [server.id],
  )
  t.equal(client.network.memory.used, 0)
})

t.test('nodes of other networks part with the reason, and note it', async (t) => {
  const server = await open(t, { address: '127.1.0.1' })
  const client = await open(t, {
    address: '127.2.0.1',
    statics: [server.place],
    chain: { ...FAKE_CHAIN, networkId: 775 },
  })
  await until(() => server.judge.names().includes('invalidNetwork'))
  await until(() => server.network.stats().inbound === 0)
  t.equal(client.network.stats().outbound, 0)
})

t.test('an operator adds and removes peers', async (t) => {
  const server = await open(t, { address: '127.1.0.1' })
  const client = await open(t, { address: '127.2.0.1' })
  t.notOk(client.network.add(client.place), 'not the node itself')
  t.ok(client.network.add(server.place))
  await until(() => client.network.peers.length === 1)
  t.match(client.network.stats().peers[0], {
    static: true,
    trusted: true,
    capabilities: ['rsk/62', 'rhizome/1', 'snap/1'],
  })
  t.ok(client.network.remove(server.id))
  t.same(client.network.peers, [])
  await until(() => server.network.peers.length === 0)
  t.notOk(client.network.remove(server.id))
})

t.test('half of the places are for who dials us; others are told so and stay away for a while', async (t) => {
  const server = await open(t, { address: '127.1.0.1', limits: createPeerLimits(4) })
  const dialling = (number: number) => open(t, { address: `127.${number}.0.1`, statics: [server.place] })
  await dialling(2)
  await dialling(3)
  await until(() => server.network.stats().inbound === 2)
  await dialling(4)
  await until(() => server.network.stats().refused.full === 1)
  await until(() => server.network.stats().refused.sentAway >= 1)
  t.equal(server.network.stats().inbound, 2)
})

t.test('one block of addresses gets 16 places, one address 4', async (t) => {
  const server = await open(t, { address: '127.1.0.1', limits: createPeerLimits(100) })
  const dial = (address: string) => open(t, { address, statics: [server.place], listens: false })
  // Who is one too many comes once the others sit: its address is refused for a while, for all nodes behind it.
  for (let number = 0; number < 4; number += 1) await dial('127.9.0.1')
  await until(() => server.network.stats().inbound === 4)
  await dial('127.9.0.1')
  await until(() => server.network.stats().refused.addressFull > 0)
  for (let number = 1; number < 13; number += 1) await dial(`127.9.1.${number}`)
  await until(() => server.network.stats().inbound === 16)
  await dial('127.9.1.13')
  await until(() => server.network.stats().refused.groupFull > 0)
  await dial('127.10.0.1')
  await until(() => server.network.stats().inbound === 17)
  const addresses = server.network.peers.map(({ address }) => address)
  t.equal(addresses.filter((address) => address === '127.9.0.1').length, 4)
  t.equal(addresses.filter((address) => address.startsWith('127.9.')).length, 16)
})

t.test('a second connection of a node and one to itself end', async (t) => {
  const server = await open(t, { address: '127.1.0.1' })
  const own = await open(t, { address: '127.3.0.1' })
  await until(() => server.network.peers.length === 0)
  const client = await open(t, {
    address: '127.2.0.1',
    candidates: { candidates: () => [{ ...own.place, id: own.id }, server.place] },
  })
  await until(() => client.network.peers.length === 2)
  t.same(client.network.peers.map(({ id }) => id).sort(), [own.id, server.id].sort())
})

t.test('of two nodes that dial one another at the same time one connection stays', async (t) => {
  // Each learns of the other's port after both listen, as from discovery.
  const places: PeerNode[] = []
  const source = (own: string) => ({
    candidates: () => places.filter(({ place }) => place.address !== own).map(({ place }) => place),
  })
  places.push(await open(t, { address: '127.1.0.1', candidates: source('127.1.0.1') }))
  places.push(await open(t, { address: '127.2.0.1', candidates: source('127.2.0.1') }))
  await until(() => places.every(({ network }) => network.peers.length === 1))
  await new Promise((resolve) => setTimeout(resolve, 500))
  for (const { network } of places) t.equal(network.peers.length, 1)
  const [one, other] = places.map(({ network }) => network.stats())
  t.equal(
    (one?.inbound ?? 0) + (other?.inbound ?? 0),
    1,
    'seen from one side as inbound, from the other as outbound',
  )
})

t.test('who is banned meanwhile is closed, and refused before the handshake', async (t) => {
  const server = await open(t, { address: '127.1.0.1' })
  await open(t, { address: '127.2.0.1', statics: [server.place] })
  await until(() => server.network.peers.length === 1)
  server.judge.addresses.add('127.2.0.1')
  await until(() => server.network.peers.length === 0)
  await until(() => server.network.stats().refused.banned > 0)
  t.same(server.network.peers, [])
  t.equal(server.network.stats().refused.handshake, 0)
})

t.test('connections without a handshake are few, and end', async (t) => {
  const server = await open(t, { address: '127.1.0.1', timings: { handshake: 1000 } })
  const sockets: Socket[] = []
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy()
  })
  let ended = 0
  const knock = (localAddress: string, bytes: Buffer) => {
    const socket = connect({ host: '127.1.0.1', port: server.place.port, localAddress })
    socket
      .on('error', () => undefined)
      .on('close', () => {
        ended += 1
      })
    socket.resume().write(bytes)
    sockets.push(socket)
  }
  for (let number = 0; number < 100; number += 1) knock(`127.20.0.${number}`, BEGUN)
  await until(() => server.network.stats().refused.halfOpen > 0)
  t.ok(server.network.stats().halfOpen <= 16, 'of one block of addresses')
  for (let group = 21; group < 121; group += 1) knock(`127.${group}.0.1`, BEGUN)
  const honest = await open(t, { address: '127.200.0.1', statics: [server.place] })
  await until(() => honest.network.peers.length === 1)
  t.ok(server.network.stats().halfOpen <= 64)
  await until(() => ended === 200)
  t.equal(server.network.stats().halfOpen, 0)
  t.equal(server.network.stats().inbound, 1)
  t.ok(server.network.stats().memory.peak <= 64 * 64 * 1024 + 1024 * 1024)
})

t.test('garbage ends the connection of who sends it', async (t) => {
  const server = await open(t, { address: '127.1.0.1' })
  const sockets = Array.from({ length: 16 }, (_, number) => {
    const socket = connect({
      host: '127.1.0.1',
      port: server.place.port,
      localAddress: `127.30.0.${number + 1}`,
    })
    socket.on('error', () => undefined)
    const pour = () => {
      while (!socket.destroyed && socket.write(Buffer.alloc(65_536, number + 1)));
    }
    socket.on('drain', pour)
    pour()
    return socket
  })
  await until(() => sockets.every(({ destroyed }) => destroyed))
  t.equal(server.network.stats().halfOpen, 0)
  t.equal(server.network.memory.used, 0)
  t.same(new Set(server.judge.names()), new Set(['failedHandshake']))
})

t.test('a flood of blocks that nobody deals with stays within the memory of a peer', async (t) => {
  const limits = { ...createPeerLimits(30), peerBytes: 8 * 1024 * 1024 }
  const server = await open(t, { address: '127.1.0.1', limits })
  server.answer = () => new Promise(() => undefined)
  const client = await open(t, { address: '127.2.0.1', statics: [server.place] })
  await until(() => client.network.peers.length === 1)
  const [peer] = client.network.peers
  let accepted = 0
  for (let seed = 0; seed < 100; seed += 1) {
    if (peer?.send(blockOf(1024 * 1024, seed)) === true) accepted += 1
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const { peak } = server.network.stats().memory
  t.ok(peak > 3 * 1024 * 1024 && peak <= 8 * 1024 * 1024, `${peak} bytes at the receiver`)
  t.ok(client.network.stats().memory.peak <= 9 * 1024 * 1024, 'and at the sender')
  t.ok(accepted < 60, `${accepted} of 100 were taken`)
})

t.test('the end takes less than a second, whatever is open', async (t) => {
  const server = await open(t, { address: '127.1.0.1' })
  const client = await open(t, {
    address: '127.2.0.1',
    statics: [
      server.place,
      { id: server.id.replace(/^../, '00'), address: '127.1.0.1', port: server.place.port },
    ],
  })
  const silent = connect({ host: '127.1.0.1', port: server.place.port, localAddress: '127.3.0.1' })
  silent.on('error', () => undefined).resume()
  await until(() => client.network.peers.length === 1 && server.network.stats().halfOpen > 0)
  await Promise.all([client.network.close(), server.network.close()])
  t.equal(server.network.port, null)
  t.same(server.network.peers, [])
  t.same(client.network.peers, [])
  await until(() => silent.destroyed)
  const again = connect({ host: '127.1.0.1', port: server.place.port })
  const refused = await new Promise((resolve) => again.on('error', resolve))
  t.match(refused, { code: 'ECONNREFUSED' })
})

t.test('a port that is taken is an error of open', async (t) => {
  const server = await open(t, { address: '127.1.0.1' })
  await t.rejects(openPeerNode({ address: '127.1.0.1', port: server.place.port }), { code: 'EADDRINUSE' })
})

function blockOf(bytes: number, seed: number): PeerMessage {
  const content = Buffer.alloc(bytes, 1)
  content.writeUInt32BE(seed, 0)
  return { type: 'block', block: encodeList([encodeBytes(content)]) }
}

t.test('frames that are not whole are in the account, and who has most of them is ended first', async (t) => {
  const MIB = 1024 * 1024
  const limits = { ...createPeerLimits(30), peerBytes: 2 * MIB, totalBytes: 2.5 * MIB }
  const server = await open(t, { address: '127.1.0.1', limits })
  for (const number of [2, 3, 4]) {
    const attacker = await rawPeer(t, server, `127.${number}.0.1`)
    const frame = attacker.frame(FRAME_CODES.rskMessage, Buffer.alloc(1.5 * MIB))
    attacker.write(frame.subarray(0, 1.25 * MIB))
  }
  await until(() => server.gone.length > 0)
  const { peak } = server.network.stats().memory
  t.ok(peak > 1.5 * MIB && peak <= 2.5 * MIB, `${peak} bytes`)
  const honest = await open(t, { address: '127.9.0.1', statics: [server.place] })
  await until(() => honest.network.peers.length === 1)
  t.ok(server.network.memory.used <= 2.5 * MIB)
})

t.test('who repeats HELLO, drips it or sends it without end is closed', async (t) => {
  const server = await open(t, { address: '127.1.0.1', timings: { handshake: 1000 } })
  const again = await rawPeer(t, server, '127.2.0.1')
  again.sendHello()
  t.equal(await again.closed(), 0)
  const endless = await RawPeer.connect(server.place.port, '127.1.0.1', '127.3.0.1')
  t.teardown(async () => endless.destroy())
  await endless.shakeHands(Buffer.from(server.id, 'hex'))
  endless.send(FRAME_CODES.hello, Buffer.alloc(20_000))
  t.equal(await endless.closed(), null)
  const slow = await RawPeer.connect(server.place.port, '127.1.0.1', '127.4.0.1')
  const drip = setInterval(() => slow.write(Buffer.alloc(1, 1)), 50)
  t.teardown(async () => clearInterval(drip))
  t.equal(await slow.closed(), null)
  t.equal(server.network.stats().refused.handshake, 2)
  await until(() => server.network.peers.length === 0)
  t.equal(server.network.memory.used, 0)
})

/** A peer whose handshake is over and that says nothing more by itself. */
async function rawPeer(t: Teardown, server: PeerNode, localAddress: string): Promise<RawPeer> {
  const peer = await RawPeer.connect(server.place.port, server.place.address, localAddress)
  t.teardown(async () => peer.destroy())
  await peer.shakeHands(Buffer.from(server.id, 'hex'))
  peer.sendHello()
  await until(() => server.network.peers.some(({ address }) => address === localAddress))
  return peer
}
