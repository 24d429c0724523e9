import t, { type Test } from 'tap'
import type { Block } from '../../../../src/chain/codec/block.ts'
import { networkByName } from '../../../../src/config/networks/byName.ts'
import type { PeerMessage } from '../../../../src/p2p/messages/rskMessage.ts'
import { watchConnects } from '../../../../src/sync/relay/blockRelay.ts'
import { Relay } from '../../../../src/sync/relay/relay.ts'
import { BlockMaker } from '../../../support/blockMaker.ts'
import { FakePeer } from '../../../support/fakePeer.ts'
import { LocalSyncChain } from '../../../support/syncChain.ts'

const regtest = networkByName('regtest')

function scene(t: Test, count: number) {
  const maker = new BlockMaker(t, regtest)
  const chain = new LocalSyncChain(regtest, maker.open)
  const peers = Array.from({ length: count }, () => new FakePeer([maker.genesis]))
  const state = { isFarBehind: false }
  const timers = new Map<number, () => void>()
  const relay = new Relay({
    chain,
    peers: { peers },
    isFarBehind: () => state.isFarBehind,
    now: () => 0,
    random: () => 0.5,
    every: (milliseconds, action) => {
      timers.set(milliseconds, action)
      return () => timers.delete(milliseconds)
    },
  })
  relay.start()
  t.teardown(() => relay.close())
  for (const peer of peers) relay.onPeer(peer)
  return { maker, chain, peers, relay, state, timers }
}

function sentTo(peers: readonly FakePeer[], type: PeerMessage['type']): number {
  return peers.filter((peer) => peer.sent.some((message) => message.type === type)).length
}

const identifier = ({ hash, number }: Block) => ({ hash, number })

t.test(
  'a block of this node goes whole to the root of the number of peers, its hash to the rest',
  async (t) => {
    for (const [count, whole] of [
      [4, 2],
      [10, 3],
      [1, 1],
    ] as const) {
      const { maker, peers } = scene(t, count)
      const [block] = maker.extend(maker.genesis, 1)
      t.equal(sentTo(peers, 'block'), whole)
      t.equal(sentTo(peers, 'newBlockHashes'), count - whole)
      t.ok(peers.every(({ sent }) => sent.length === 1))
      const sent = peers.flatMap((peer) => peer.sent)
      const found = sent.find(({ type }) => type === 'block')
      t.same(found, { type: 'block', block: block?.encoded })
    }
  },
)

t.test('a block of a peer is announced to those that are not known to have it', async (t) => {
  const { maker, peers, relay } = scene(t, 5)
  const other = new BlockMaker(t, regtest)
  const [block] = other.extend(other.genesis, 1, { label: 'of others' })
  if (block === undefined) throw new Error('no block')
  const [sender, announcer, asker, ...rest] = peers as [FakePeer, FakePeer, FakePeer, ...FakePeer[]]
  relay.onMessage(sender, { type: 'block', block: block.encoded })
  relay.onMessage(announcer, { type: 'newBlockHashes', blocks: [identifier(block)] })
  relay.onMessage(asker, { type: 'getBlock', hash: block.hash })
  t.ok(relay.blocks.has(sender, block.hash) && relay.blocks.has(asker, block.hash))
  maker.open.chain.connect(block)
  t.same([sender.sent, announcer.sent, asker.sent], [[], [], []])
  for (const { sent } of rest) t.same(sent, [{ type: 'newBlockHashes', blocks: [identifier(block)] }])
})

t.test('a block that was fetched is not taken for one of this node', async (t) => {
  const { maker, chain, peers, relay } = scene(t, 4)
  const other = new BlockMaker(t, regtest)
  const made = other.extend(other.genesis, 2)
  const watched = watchConnects(chain, (hash) => relay.blocks.recordForeign(hash))
  const outcomes = await watched.connect(made.map(({ encoded }) => encoded))
  t.same(
    outcomes.map(({ status }) => status),
    ['IMPORTED_BEST', 'IMPORTED_BEST'],
  )
  t.equal(watched.tip.number, 2)
  t.equal(maker.open.chain.head.number, 2)
  t.equal(sentTo(peers, 'block'), 0)
  t.equal(sentTo(peers, 'newBlockHashes'), 4)
  await watched.connect([Buffer.from('c0', 'hex')])
})

t.test('nothing is passed on while peers are far above', async (t) => {
  const { maker, peers, state } = scene(t, 4)
  state.isFarBehind = true
  maker.extend(maker.genesis, 3)
  t.ok(peers.every(({ sent }) => sent.length === 0))
})

t.test('peers without a status are sent no hashes', async (t) => {
  const { maker, peers } = scene(t, 4)
  for (const peer of peers) peer.status = null
  maker.extend(maker.genesis, 1)
  t.equal(sentTo(peers, 'newBlockHashes'), 0)
  t.equal(sentTo(peers, 'block'), 2)
})

t.test('a changed status is told once, an unchanged one not at all', async (t) => {
  const { maker, chain, peers, relay, timers } = scene(t, 3)
  const tick = timers.get(10_000) ?? (() => t.fail('no timer'))
  tick()
  t.equal(sentTo(peers, 'status'), 0)
  maker.extend(maker.genesis, 2)
  tick()
  tick()
  const { number, hash, parentHash, totalDifficulty } = chain.tip
  const status = { bestNumber: number, bestHash: hash, bestParentHash: parentHash, totalDifficulty }
  for (const { sent } of peers) {
    t.same(
      sent.filter(({ type }) => type === 'status'),
      [{ type: 'status', status }],
    )
  }
  relay.close()
  t.equal(timers.size, 0)
})

t.test('of each peer a thousand blocks are remembered', async (t) => {
  const { relay, peers } = scene(t, 1)
  const [peer] = peers as [FakePeer]
  const hashOf = (number: number) => Buffer.alloc(32, number.toString(16).padStart(8, '0'), 'hex')
  for (let number = 0; number < 3000; number += 1) relay.blocks.record(peer, hashOf(number))
  t.notOk(relay.blocks.has(peer, hashOf(1999)))
  t.ok(relay.blocks.has(peer, hashOf(2000)))
  const blocks = Array.from({ length: 5000 }, (_, number) => ({ hash: hashOf(number), number }))
  relay.onMessage(peer, { type: 'newBlockHashes', blocks })
  t.ok(relay.blocks.has(peer, hashOf(4000)))
  t.notOk(relay.blocks.has(peer, hashOf(3999)))
})
