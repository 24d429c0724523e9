import t, { type Test } from 'tap'
import type { Block } from '../../../../src/chain/codec/block.ts'
import type { Peer } from '../../../../src/p2p/peer.ts'
import type { SyncLimits } from '../../../../src/sync/client/limits.ts'
import { BlockMaker, spoil } from '../../../support/blockMaker.ts'
import type { FakePeer } from '../../../support/fakePeer.ts'
import { SyncScene, until, WEIGHTY } from '../../../support/syncScene.ts'

const last = (blocks: readonly Block[]): Block => blocks.at(-1) as Block

const maker = new BlockMaker(t, WEIGHTY)
const chain = [maker.genesis, ...maker.extend(maker.genesis, 60)]
const known = chain.slice(0, 31)

/** A client at block 30 with peers that have the same, following. */
async function following(t: Test, count = 1, limits: Partial<SyncLimits> = {}) {
  const scene = new SyncScene(t, WEIGHTY, { limits }, known)
  const peers = Array.from({ length: count }, () => scene.add(known))
  await until(() => scene.client.stats.stage === 'following')
  return { scene, peers: peers as [FakePeer, ...FakePeer[]] }
}

const send = (scene: SyncScene, peer: Peer, block: Block | Buffer) =>
  scene.client.onMessage(peer, { type: 'block', block: Buffer.isBuffer(block) ? block : block.encoded })
const announce = (scene: SyncScene, peer: Peer, blocks: readonly Block[]) =>
  scene.client.onMessage(peer, {
    type: 'newBlockHashes',
    blocks: blocks.map(({ number, hash }) => ({ number, hash })),
  })

t.test('a block that is sent becomes the head and is credited', async (t) => {
  const { scene, peers } = await following(t)
  await send(scene, peers[0], chain[31] as Block)
  t.ok(scene.isAt(chain[31] as Block))
  t.same(peers[0].scores, ['validBlock'])
  await send(scene, peers[0], chain[31] as Block)
  t.same(peers[0].scores, ['validBlock'], 'known already')
})

t.test('an announced block is asked for, once, and of another peer when the first is silent', async (t) => {
  const { scene, peers } = await following(t, 2)
  const [silent, other] = peers as unknown as [FakePeer, FakePeer]
  silent.onSent = () => undefined
  other.follow(chain.slice(0, 32))
  await announce(scene, silent, [chain[31] as Block])
  await announce(scene, other, [chain[31] as Block])
  const asked = (peer: FakePeer) => peer.sent.filter(({ type }) => type === 'getBlock').length
  t.equal(asked(silent), 1)
  t.equal(asked(other), 0)
  await until(() => scene.isAt(chain[31] as Block))
  t.notOk(silent.isGone)
})

t.test('announcements of known, old and far blocks are left alone', async (t) => {
  const { scene, peers } = await following(t)
  const far = [
    { number: 30 + 3841, hash: Buffer.alloc(32, 1) },
    { number: 22, hash: Buffer.alloc(32, 2) },
    { number: 0, hash: Buffer.alloc(32, 3) },
  ]
  await scene.client.onMessage(peers[0], { type: 'newBlockHashes', blocks: far })
  await announce(scene, peers[0], known.slice(-3))
  t.same(peers[0].sent, [])
})

t.test('an announcement of very many hashes costs a bounded number of questions', async (t) => {
  const { scene, peers } = await following(t)
  const blocks = Array.from({ length: 5000 }, (_, index) => {
    const hash = Buffer.alloc(32)
    hash.writeUInt32BE(index + 1)
    return { number: 31, hash }
  })
  await scene.client.onMessage(peers[0], { type: 'newBlockHashes', blocks })
  await scene.client.onMessage(peers[0], { type: 'newBlockHashes', blocks: blocks.slice(100) })
  t.equal(peers[0].sent.length, 64)
})

t.test('missing ancestors are asked for and connected with what waited', async (t) => {
  const { scene, peers } = await following(t)
  peers[0].follow(chain.slice(0, 37))
  await send(scene, peers[0], chain[36] as Block)
  await until(() => scene.isAt(chain[36] as Block))
  t.equal(peers[0].sent.filter(({ type }) => type === 'getBlock').length, 5)
})

t.test('a bigger gap goes the long way', async (t) => {
  const { scene, peers } = await following(t, 1, { missingAncestors: 8 })
  peers[0].follow(chain)
  await send(scene, peers[0], last(chain))
  await until(() => scene.isAt(last(chain)))
  t.ok(peers[0].count('skeletonRequest') > 0)
})

t.test('a status with more work closes a small gap by single blocks', async (t) => {
  const { scene, peers } = await following(t)
  scene.grow(peers[0], chain.slice(0, 34))
  await until(() => scene.isAt(chain[33] as Block))
  t.ok(peers[0].sent.some(({ type }) => type === 'getBlock'))
})

t.test('a status with more work from a peer that gives no single blocks goes the long way', async (t) => {
  const { scene, peers } = await following(t)
  peers[0].onSent = () => undefined
  scene.grow(peers[0], chain.slice(0, 34))
  await until(() => scene.isAt(chain[33] as Block))
  t.ok(peers[0].count('skeletonRequest') > 0)
})

t.test('a hash alone is asked for as a block', async (t) => {
  const { scene, peers } = await following(t)
  peers[0].follow(chain.slice(0, 32))
  await scene.client.onMessage(peers[0], { type: 'newBlockHash', hash: (chain[31] as Block).hash })
  t.ok(scene.isAt(chain[31] as Block))
})

t.test('reorganisations one to ten deep', async (t) => {
  for (let depth = 1; depth <= 10; depth += 1) {
    const fork = chain[30 - depth] as Block
    const branch = maker.extend(fork, depth + 1, { label: `reorganisation ${depth}` })
    const scene = new SyncScene(t, WEIGHTY, {}, known)
    const peer = scene.add(known)
    await until(() => scene.client.stats.stage === 'following')
    scene.grow(peer, [...chain.slice(0, 31 - depth), ...branch])
    await until(() => scene.isAt(last(branch)))
    t.ok(peer.scores.every((event) => event === 'validBlock'))
    await scene.client.close()
  }
})

t.test('siblings of the head are stored, for they may become uncles', async (t) => {
  const { scene, peers } = await following(t)
  const [sibling] = maker.extend(chain[29] as Block, 1, { label: 'sibling' })
  await send(scene, peers[0], sibling as Block)
  t.ok(scene.isAt(last(known)))
  t.ok(scene.chain.reader.headerByHash((sibling as Block).hash))
  t.same(peers[0].scores, ['validBlock'])
})

t.test('blocks that lie are scored before the chain sees them', async (t) => {
  const next = chain[31] as Block
  const lies = [
    spoil(next, { paidFees: 5n }),
    maker.forge(last(known), { difficultyBytes: Buffer.from([1]) }),
    maker.forge(last(known), { txTrieRoot: Buffer.alloc(32, 1) }),
    maker.forge(last(known), { unclesHash: Buffer.alloc(32, 1) }),
  ]
  for (const lie of lies) {
    const { scene, peers } = await following(t)
    await send(scene, peers[0], lie)
    t.same(peers[0].scores, ['invalidBlock'])
    t.equal(scene.chain.commits.length, 0)
  }
})

t.test('garbage ends the connection without a score', async (t) => {
  const { scene, peers } = await following(t)
  await send(scene, peers[0], Buffer.from('c3808080', 'hex'))
  t.ok(peers[0].isGone)
  t.same(peers[0].scores, [])
})

t.test('a wrong state root of a single block: the sender is scored, the block is remembered', async (t) => {
  const { scene, peers } = await following(t, 2)
  const [first, second] = peers as unknown as [FakePeer, FakePeer]
  const wrong = maker.forge(last(known))
  await send(scene, first, wrong)
  t.same(first.scores, ['invalidBlock'])
  const { length } = scene.chain.commits
  await send(scene, second, wrong)
  t.equal(scene.chain.commits.length, length, 'not executed again')
  await send(scene, scene.add(known), chain[31] as Block)
  t.ok(scene.isAt(chain[31] as Block))
})

t.test('blocks that wait for a parent are bounded in bytes for each peer and in sum', async (t) => {
  const size = (chain[40] as Block).encoded.length
  const limits = { waitingBytesPerPeer: size * 2 + 50, waitingBytes: size * 3 + 75 }
  const scene = new SyncScene(t, WEIGHTY, { limits }, known)
  const peers = [1, 2, 3].map(() => scene.add(known))
  await until(() => scene.client.stats.stage === 'following')
  for (const [index, peer] of peers.entries()) {
    peer.onSent = () => undefined
    for (let number = 33; number < 37; number += 1) {
      await send(scene, peer, maker.forge(chain[number] as Block, { coinbase: Buffer.alloc(20, index) }))
    }
  }
  t.ok(scene.client.waitingBytes > size)
  t.ok(scene.client.waitingBytes <= limits.waitingBytes)
  for (const peer of peers) peer.disconnect()
  t.equal(scene.client.waitingBytes, 0, 'what a peer sent goes with it')
})
