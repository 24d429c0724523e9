import t, { type Test } from 'tap'
import { writeBlock } from '../../../../src/chain/chainWriter.ts'
import type { Block } from '../../../../src/chain/codec/block.ts'
import { Block as WholeBlock } from '../../../../src/chain/codec/block.ts'
import { RLP_EMPTY_LIST } from '../../../../src/chain/codec/rlpWriter.ts'
import { genesisHeader } from '../../../../src/chain/genesis.ts'
import { readHeight, setCanonical } from '../../../../src/chain/tables/heights.ts'
import { writeIdentity } from '../../../../src/chain/tables/metadata.ts'
import { FilledBlocks } from '../../../../src/node/filledBlocks.ts'
import { assertSameBlocks, BackfillScene, cutSnapshot } from '../../../support/backfillScene.ts'
import { BlockMaker } from '../../../support/blockMaker.ts'
import type { FakePeerOptions, Misbehaviour } from '../../../support/fakePeer.ts'
import { openWith, readRewardChain } from '../../../support/snapshots.ts'
import { until, WEIGHTY } from '../../../support/syncScene.ts'
import { testFolder } from '../../../support/testFolder.ts'

const BLOCKS = 700
const KEPT = 40
const FIRST = BLOCKS + 1 - KEPT

const maker = new BlockMaker(t, WEIGHTY)
const chain: readonly Block[] = [maker.genesis, ...maker.extend(maker.genesis, BLOCKS)]
const { dataDir } = maker.open as typeof maker.open & { readonly dataDir: string }
const folder = cutSnapshot(t, WEIGHTY, dataDir, { blocks: KEPT })

async function restore(test: Test, options = {}): Promise<BackfillScene> {
  return BackfillScene.restore(test, WEIGHTY, await folder, options)
}

const kinds: readonly [
  name: string,
  options: FakePeerOptions,
  question: 'bodyRequest' | 'snapBlocksRequest' | 'blockRangeRequest',
][] = [
  ['single bodies', {}, 'bodyRequest'],
  ['snap', { snap: true }, 'snapBlocksRequest'],
  ['ranges', { ranges: true }, 'blockRangeRequest'],
]
for (const [name, options, question] of kinds) {
  t.test(`every block down to genesis is filled in from peers with ${name}`, async (t) => {
    const scene = await restore(t)
    t.equal(scene.firstBlock, FIRST)
    const peers = [scene.add(chain, options), scene.add(chain, options), scene.add(chain, options)]
    await scene.run()
    t.same(scene.open.chain.reader.history(), { firstBlock: 0, firstReceipts: FIRST, firstState: BLOCKS })
    t.match(scene.backfill.stats, { firstBlock: 1, blocksLeft: 0, fault: null })
    assertSameBlocks(t, scene.open, maker.open, FIRST)
    t.same(scene.problems(), [])
    for (const peer of peers) t.same(peer.scores, [])
    t.ok(peers.every((peer) => peer.count(question) > 0) || question !== 'bodyRequest', 'all of them give')
    const asked = peers.reduce((sum, peer) => sum + peer.count(question), 0)
    if (question === 'bodyRequest') t.ok(asked >= FIRST - 1)
    else t.ok(asked < 40, `${asked} questions`)
  })
}

t.test('a chain with rewards, uncles and blocks beside it', async (t) => {
  const recorded = readRewardChain('remasc')
  const source = openWith(t, recorded.spec, recorded.blocks, testFolder(t))
  const { reader } = source.chain
  const main = Array.from(
    { length: reader.head().number + 1 },
    (_, number) => reader.blockByNumber(number) as Block,
  )
  t.ok(main.some(({ uncles }) => uncles.length > 0))
  const cut = await cutSnapshot(t, recorded.spec, source.dataDir, { blocks: 60 })
  // The recorded blocks are of a network whose proofs of work nobody made.
  const scene = await BackfillScene.restore(t, recorded.spec, cut, { check: { alone: async () => null } })
  const { firstReceipts } = scene.open.chain.reader.history()
  scene.add(main)
  await scene.run()
  assertSameBlocks(t, scene.open, source, firstReceipts)
  const problems = scene.problems().filter(({ message }) => !message.startsWith('its proof of work'))
  t.same(problems, [])
})

const lies: readonly [name: string, misbehave: Misbehaviour][] = [
  [
    'another body',
    (question) =>
      question.type === 'bodyRequest'
        ? { type: 'bodyResponse', transactions: [], uncles: [], extension: null }
        : undefined,
  ],
  [
    'headers of elsewhere',
    (question) =>
      question.type === 'blockHeadersRequest' && question.count > 1
        ? {
            type: 'blockHeadersResponse',
            headers: chain.slice(1, 1 + question.count).map((b) => b.header.encodedCompressed),
          }
        : undefined,
  ],
]
for (const [name, misbehave] of lies) {
  t.test(`who gives ${name} is punished, and others give the blocks`, async (t) => {
    const scene = await restore(t)
    const liar = scene.add(chain, { misbehave })
    scene.backfill.start()
    await until(() => liar.isGone)
    t.ok(liar.scores.includes('invalidMessage'))
    const honest = scene.add(chain)
    await scene.backfill.ended()
    t.equal(scene.firstBlock, 0)
    t.same(honest.scores, [])
  })
}

t.test('a block whose proof of work was changed is not stored: its hash leaves the proof out', async (t) => {
  const scene = await restore(t)
  const changed = (block: Block) =>
    new WholeBlock(
      block.header.with({ bitcoinMergedMiningMerkleProof: Buffer.alloc(32, 9) }),
      block.transactions,
      block.uncles,
    )
  t.ok(changed(chain[1] as Block).hash.equals((chain[1] as Block).hash), 'the hash does not show it')
  const liar = scene.add(
    chain.map((block) => (block.number === 0 ? block : changed(block))),
    { ranges: true },
  )
  scene.backfill.start()
  await until(() => liar.isGone)
  t.equal(scene.firstBlock, FIRST)
  scene.add(chain, { ranges: true })
  await scene.backfill.ended()
  assertSameBlocks(t, scene.open, maker.open, FIRST)
})

t.test('peers without the blocks are no use and no liars; another one is waited for', async (t) => {
  const scene = await restore(t)
  const young = scene.add(chain, {
    misbehave: ({ type }) => (type === 'blockHeadersRequest' ? 'silent' : undefined),
  })
  scene.backfill.start()
  await until(() => young.scores.length > 0)
  t.equal(scene.firstBlock, FIRST)
  scene.add(chain)
  await scene.backfill.ended()
  t.equal(scene.firstBlock, 0)
  t.notOk(young.isGone)
  t.ok(young.scores.every((score) => score === 'timeoutMessage'))
})

t.test('nothing is asked for while the tip is behind, and it goes on when it is not', async (t) => {
  const scene = await restore(t)
  const peer = scene.add(chain)
  peer.misbehave = (question) => {
    if (question.type === 'bodyRequest' && peer.count('bodyRequest') === 50) scene.isFollowing = false
    return undefined
  }
  scene.backfill.start()
  await until(() => !scene.isFollowing)
  // What was open comes; the next turn asks nothing.
  await new Promise((resolve) => setTimeout(resolve, 100))
  const asked = peer.asked.length
  const { firstBlock } = scene
  await new Promise((resolve) => setTimeout(resolve, 700))
  t.equal(peer.asked.length, asked)
  t.equal(scene.firstBlock, firstBlock)
  scene.isFollowing = true
  await scene.backfill.ended()
  t.equal(scene.firstBlock, 0)
})

t.test('one run after the other, while a peer leaves and another one comes', async (t) => {
  const scene = await restore(t, { limits: { runBlocks: 150 } })
  const leaving = scene.add(chain, { ranges: true })
  scene.backfill.start()
  await until(() => scene.firstBlock < FIRST)
  leaving.disconnect()
  scene.add(chain, { snap: true })
  await scene.backfill.ended()
  assertSameBlocks(t, scene.open, maker.open, FIRST)
})

t.test('it goes on where it was', async (t) => {
  const scene = await restore(t, { limits: { commitBlocks: 50 } })
  const peer = scene.add(chain)
  scene.backfill.start()
  await until(() => scene.firstBlock < FIRST - 100)
  await scene.backfill.close()
  const { firstBlock } = scene
  t.ok(firstBlock > 0 && firstBlock < FIRST)
  t.same(scene.problems(), [])
  const before = peer.count('bodyRequest')
  const again = new BackfillScene(t, WEIGHTY, scene.open)
  const second = again.add(chain)
  await again.run()
  t.equal(again.firstBlock, 0)
  t.ok(before > 0 && second.count('bodyRequest') < FIRST - 50, 'what was there is not fetched again')
  assertSameBlocks(t, again.open, maker.open, FIRST)
})

t.test('a chain that leads to another genesis is said to, and nobody is punished', async (t) => {
  const scene = await restore(t)
  const { environment } = scene.open
  const other = new WholeBlock(genesisHeader(WEIGHTY, Buffer.alloc(32, 1)), [], [])
  environment.transaction((writer) => {
    for (const { hash } of readHeight(writer, 0)) t.equal(hash.equals(maker.genesis.hash), true)
    writeBlock(writer, other, { receipts: RLP_EMPTY_LIST, totalDifficulty: 1n })
    setCanonical(writer, 0, other.hash)
    writeIdentity(writer, other.hash)
  })
  const peer = scene.add(chain)
  await scene.run()
  t.match(scene.backfill.stats?.fault, /does not stand on its genesis/)
  t.ok(scene.firstBlock > 0, 'block 1 is not taken')
  t.same(peer.scores, [])
})

t.test('backfill has a name for what it waits for, and says what this node fails of', async (t) => {
  let fails = true
  let tries = 0
  const scene = await restore(t)
  const takeBlocks = FilledBlocks.prototype.takeBlocks
  FilledBlocks.prototype.takeBlocks = function (blocks) {
    tries += 1
    return fails ? Promise.reject(new Error('no space left')) : takeBlocks.call(this, blocks)
  }
  t.teardown(() => {
    FilledBlocks.prototype.takeBlocks = takeBlocks
  })
  const state = () => scene.backfill.stats?.state
  scene.isFollowing = false
  t.equal(state(), 'paused')
  scene.isFollowing = true
  t.equal(state(), 'running')
  const young = scene.add(chain, { misbehave: () => 'silent' })
  const ended = scene.run()
  const giver = scene.add(chain)
  await until(() => state() === 'failing')
  t.match(scene.halts, [{ cause: 'backfillError', reason: 'no space left' }])
  await until(() => tries > 3)
  t.equal(scene.halts.length, 1)
  fails = false
  giver.misbehave = ({ type }) => (type === 'bodyRequest' ? 'silent' : undefined)
  await until(() => state() === 'starved')
  t.equal(scene.halts.at(-1), null, 'that peers give nothing is no failure of this node')
  giver.misbehave = () => undefined
  await ended
  t.equal(state(), 'complete')
  t.same(young.scores.includes('invalidMessage'), false)
})
