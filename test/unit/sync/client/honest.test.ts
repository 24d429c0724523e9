import t from 'tap'
import { type Block, parseBlock } from '../../../../src/chain/codec/block.ts'
import { fromHex } from '../../../../src/util/bytes.ts'
import { BlockMaker } from '../../../support/blockMaker.ts'
import type { FakePeer } from '../../../support/fakePeer.ts'
import { openTestChain, REGTEST } from '../../../support/openTestChain.ts'
import { SyncScene, until, WEIGHTY } from '../../../support/syncScene.ts'
import { readVectorLines } from '../../../support/vectors.ts'

interface RecordedBlock {
  readonly main?: boolean
  readonly rlp: string
}

/** The recorded chain, genesis first. Blocks are version 2 with bodies of many kinds. */
const recorded: readonly Block[] = readVectorLines<RecordedBlock>('rpc/chain-main.jsonl')
  .slice(1)
  .filter(({ main }) => main !== false)
  .map(({ rlp }) => parseBlock(REGTEST, fromHex(rlp)))
const tip = recorded.at(-1) as Block

t.test('a recorded chain comes from one peer, body by body', async (t) => {
  const scene = new SyncScene(t, REGTEST)
  const peer = scene.add(recorded)
  await until(() => scene.isAt(tip))
  t.equal(peer.count('bodyRequest'), tip.number)
  t.same(peer.scores, [])
  await until(() => scene.client.stats.stage === 'following')
  const { syncing, currentBlock, highestBlock, blockBytes, headerBytes } = scene.client.stats
  t.same(
    { syncing, currentBlock, highestBlock },
    { syncing: false, currentBlock: tip.number, highestBlock: tip.number },
  )
  t.equal(
    blockBytes,
    recorded.slice(1).reduce((sum, block) => sum + block.encoded.length, 0),
  )
  t.equal(
    headerBytes,
    recorded.slice(1).reduce((sum, { header }) => sum + header.encodedCompressed.length, 0),
  )
})

t.test('bodies come from all peers, each within its allowance', async (t) => {
  const scene = new SyncScene(t, REGTEST)
  // No peer alone has messages for all blocks.
  const allowance = Math.ceil(recorded.length / 3) + 40
  const peers = [1, 2, 3, 4].map(() => scene.add(recorded, { allowance }))
  await until(() => scene.isAt(tip))
  for (const peer of peers) {
    t.ok(peer.count('bodyRequest') > 0)
    t.ok(peer.allowance >= 0)
    t.same(peer.scores, [])
  }
})

t.test('a peer that comes while bodies are fetched gives the rest of the same branch', async (t) => {
  const scene = new SyncScene(t, REGTEST)
  let late: FakePeer | null = null
  // The first one has messages for the headers and some bodies only.
  scene.add(recorded, {
    allowance: 30,
    misbehave: ({ type }) => {
      if (type === 'bodyRequest') late ??= scene.add(recorded)
      return undefined
    },
  })
  await until(() => scene.isAt(tip))
  const helper = late as FakePeer | null
  t.ok((helper?.count('bodyRequest') ?? 0) > 0)
  t.equal(helper?.count('blockHashRequest'), 0, 'no branch was begun with it')
})

t.test('whole blocks come from peers that announce ranges or snapshots', async (t) => {
  for (const options of [{ ranges: true }, { snap: true }]) {
    const scene = new SyncScene(t, REGTEST)
    const peer = scene.add(recorded, options)
    await until(() => scene.isAt(tip))
    t.equal(peer.count('bodyRequest'), 0)
    t.ok(peer.count('blockRangeRequest') + peer.count('snapBlocksRequest') > 0)
    t.same(peer.scores, [])
  }
})

t.test('a server of snapshots that does not answer is asked for single bodies', async (t) => {
  const scene = new SyncScene(t, REGTEST)
  const peer = scene.add(recorded, {
    snap: true,
    misbehave: ({ type }) => (type === 'snapBlocksRequest' ? 'silent' : undefined),
  })
  await until(() => scene.isAt(tip))
  t.notOk(peer.isGone)
})

t.test('a client that has a part asks only for the rest', async (t) => {
  const scene = new SyncScene(t, REGTEST, {}, recorded.slice(0, 40))
  const peer = scene.add(recorded)
  await until(() => scene.isAt(tip))
  t.equal(peer.count('blockHashRequest'), 1)
  t.equal(peer.count('bodyRequest'), tip.number - 39)
})

t.test('rounds of skeletons: fork detection, uncles and several chunks', async (t) => {
  const maker = new BlockMaker(t, WEIGHTY)
  const chain = [maker.genesis, ...maker.extend(maker.genesis, 460)]
  const scene = new SyncScene(t, WEIGHTY, { limits: { branchHeaders: 250, commitBlocks: 64 } })
  const peers = [scene.add(chain), scene.add(chain)]
  await until(() => scene.isAt(chain.at(-1) as Block))
  t.ok(scene.chain.commits.every((count) => count <= 64))
  for (const peer of peers) t.same(peer.scores, [])
})

t.test('a deep reorganisation', async (t) => {
  const maker = new BlockMaker(t, WEIGHTY)
  const common = [maker.genesis, ...maker.extend(maker.genesis, 30)]
  const fork = common.at(-1) as Block
  const ours = maker.extend(fork, 25, { label: 'ours' })
  const theirs = maker.extend(fork, 40, { label: 'theirs' })
  const scene = new SyncScene(t, WEIGHTY, {}, [...common, ...ours])
  const peer = scene.add([...common, ...theirs])
  await until(() => scene.isAt(theirs.at(-1) as Block))
  t.same(peer.scores, [])
})

t.test('what was connected stays when the client ends at any time, and another goes on', async (t) => {
  const open = openTestChain(t, { spec: REGTEST })
  t.equal(open.chain.head.number, 0)
  const first = new SyncScene(t, REGTEST, { limits: { commitBlocks: 8 } })
  first.add(recorded)
  await until(() => first.chain.tip.number > 10)
  await first.client.close()
  const reached = first.chain.tip.number
  const known = recorded.slice(0, reached + 1)
  const second = new SyncScene(t, REGTEST, {}, known)
  const peer = second.add(recorded)
  await until(() => second.isAt(tip))
  t.equal(peer.count('bodyRequest'), tip.number - reached)
})
