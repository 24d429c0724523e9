import t from 'tap'
import type { Block } from '../../../../src/chain/codec/block.ts'
import type { HeaderCheck } from '../../../../src/sync/client/headerCheck.ts'
import { BlockMaker, spoil } from '../../../support/blockMaker.ts'
import type { Reply } from '../../../support/fakePeer.ts'
import { SyncScene, until, WEIGHTY } from '../../../support/syncScene.ts'

const last = (blocks: readonly Block[]): Block => blocks.at(-1) as Block

/** Lets everything through that a header could be refused for. */
const PERMISSIVE: HeaderCheck = { alone: async () => null, onParent: () => null }

const maker = new BlockMaker(t, WEIGHTY)
const chain = [maker.genesis, ...maker.extend(maker.genesis, 40)]

t.test('wrong proof of work', async (t) => {
  // The last block claims to be another one: its work is not for it.
  const spoiled = [...chain.slice(0, 30), spoil(chain[30] as Block, { paidFees: 1n })]
  const attack = (scene: SyncScene) => scene.add(spoiled, { claims: 1n << 40n })
  const scene = new SyncScene(t, WEIGHTY)
  const liar = attack(scene)
  await until(() => liar.isGone)
  t.same(liar.scores, ['invalidHeader'])
  t.equal(scene.chain.commits.length, 0, 'no block was fetched for it')
  scene.add(chain)
  await until(() => scene.isAt(last(chain)))

  const open = new SyncScene(t, WEIGHTY, { check: PERMISSIVE })
  const other = attack(open)
  await until(() => other.isGone)
  t.same(other.scores, ['invalidBlock'], 'without the check of headers the chain has to find it')
  t.equal(open.chain.tip.number, 29)
})

t.test('wrong difficulty, gas limit, minimum gas price', async (t) => {
  const parent = chain[20] as Block
  const changes = [
    { difficultyBytes: Buffer.from([0x40, 0]) },
    { gasLimitBytes: Buffer.from([0x7f, 0xff, 0xff, 0xff]) },
    { minimumGasPrice: 1_000_000n },
  ]
  for (const change of changes) {
    const scene = new SyncScene(t, WEIGHTY)
    const liar = scene.add([...chain.slice(0, 21), maker.forge(parent, change)])
    await until(() => liar.isGone)
    t.same(liar.scores, ['invalidHeader'])
    t.equal(liar.count('bodyRequest') <= 20, true)
  }
})

t.test('headers that are not what was asked for', async (t) => {
  const replies: Reply[] = [
    { type: 'blockHeadersResponse', headers: [] },
    { type: 'blockHeadersResponse', headers: [Buffer.from('c0', 'hex')] },
    { type: 'blockHeadersResponse', headers: [Buffer.from('zz')] },
    { type: 'blockHeadersResponse', headers: chain.slice(1, 9).map((b) => b.header.encodedCompressed) },
  ]
  for (const reply of replies) {
    const scene = new SyncScene(t, WEIGHTY)
    const liar = scene.add(chain, {
      misbehave: ({ type }) => (type === 'blockHeadersRequest' ? reply : undefined),
    })
    const honest = scene.add(chain)
    await until(() => scene.isAt(last(chain)))
    t.same(honest.scores, [])
    t.ok(liar.scores.every((event) => event === 'invalidMessage'))
    if (liar.count('blockHeadersRequest') > 0) t.ok(liar.isGone)
  }
})

t.test('a skeleton of wrong form, and one of wrong heights', async (t) => {
  const [a, b] = [chain[10] as Block, chain[20] as Block]
  const skeletons = [
    [{ number: 0, hash: maker.genesis.hash }],
    [
      { number: 20, hash: a.hash },
      { number: 10, hash: b.hash },
    ],
    [
      { number: 0, hash: maker.genesis.hash },
      { number: 1000, hash: b.hash },
    ],
    // Real blocks under other heights.
    [
      { number: 0, hash: maker.genesis.hash },
      { number: 30, hash: b.hash },
    ],
  ]
  for (const blocks of skeletons) {
    const scene = new SyncScene(t, WEIGHTY)
    const reply: Reply = { type: 'skeletonResponse', blocks }
    const liar = scene.add(chain, {
      claims: 1n << 40n,
      misbehave: ({ type }) => (type === 'skeletonRequest' ? reply : undefined),
    })
    await until(() => liar.isGone)
    t.same(liar.scores, ['invalidMessage'])
    const honest = scene.add(chain)
    await until(() => scene.isAt(last(chain)))
    t.same(honest.scores, [])
  }
})

t.test('a skeleton of blocks that nobody has', async (t) => {
  const scene = new SyncScene(t, WEIGHTY)
  const blocks = [
    { number: 0, hash: maker.genesis.hash },
    { number: 100, hash: Buffer.alloc(32, 5) },
  ]
  const liar = scene.add(chain, {
    claims: 1n << 40n,
    misbehave: ({ type }) => (type === 'skeletonRequest' ? { type: 'skeletonResponse', blocks } : undefined),
  })
  const honest = scene.add(chain)
  await until(() => scene.isAt(last(chain)))
  t.same(honest.scores, [])
  t.ok(liar.scores.includes('timeoutMessage'))
})

t.test('bodies of other blocks', async (t) => {
  const other = chain[1] as Block
  const bodies: Reply[] = [
    { type: 'bodyResponse', transactions: [], uncles: [], extension: null },
    {
      type: 'bodyResponse',
      transactions: other.transactions.map(({ encoded }) => encoded),
      uncles: [],
      extension: null,
    },
    {
      type: 'bodyResponse',
      transactions: other.transactions.map(({ encoded }) => encoded),
      uncles: [other.header.encodedFull],
      extension: { version: 2, data: Buffer.from('c0', 'hex') },
    },
  ]
  for (const body of bodies) {
    const scene = new SyncScene(t, WEIGHTY)
    const liar = scene.add(chain, { misbehave: ({ type }) => (type === 'bodyRequest' ? body : undefined) })
    await until(() => liar.isGone)
    t.ok(liar.scores.every((event) => event === 'invalidMessage'))
    const honest = scene.add(chain)
    await until(() => scene.isAt(last(chain)))
    t.same(honest.scores, [])
  }
})

t.test('without the comparison with headers a wrong body reaches the chain', async (t) => {
  const match = {
    fromBody: () => (chain[5] as Block).encoded,
    isBlock: () => true,
  }
  const scene = new SyncScene(t, WEIGHTY, { match })
  scene.add(chain)
  await until(() => scene.chain.commits.length > 0)
  t.equal(scene.chain.tip.number, 0)
})

t.test('ranges and runs of other blocks', async (t) => {
  for (const options of [{ ranges: true }, { snap: true }]) {
    const scene = new SyncScene(t, WEIGHTY)
    const wrong = chain.slice(1, 5).map(({ encoded }) => encoded)
    const liar = scene.add(chain, {
      ...options,
      misbehave: ({ type }) =>
        type === 'blockRangeRequest'
          ? { type: 'blockRangeResponse', blocks: wrong }
          : type === 'snapBlocksRequest'
            ? { type: 'snapBlocksResponse', blocks: wrong, totalDifficulties: [] }
            : undefined,
    })
    await until(() => liar.isGone)
    t.ok(liar.scores.includes('invalidMessage'))
    scene.add(chain)
    await until(() => scene.isAt(last(chain)))
  }
})

t.test('withheld bodies: another peer gives what one does not', async (t) => {
  const scene = new SyncScene(t, WEIGHTY)
  const silent = scene.add(chain, {
    misbehave: ({ type }) => (type === 'bodyRequest' ? 'silent' : undefined),
  })
  const honest = scene.add(chain)
  await until(() => scene.isAt(last(chain)))
  t.same(honest.scores, [])
  t.ok(silent.scores.every((event) => event === 'timeoutMessage'))
  t.notOk(silent.isGone, 'silence alone is not punished')
})

t.test('withheld bodies of a branch that nobody else has do not keep the honest chain away', async (t) => {
  const scene = new SyncScene(t, WEIGHTY)
  const withheld = [...chain.slice(0, 31), ...maker.forgeMany(chain[30] as Block, 20)]
  const liar = scene.add(withheld, {
    misbehave: ({ type }) => (type === 'bodyRequest' ? 'silent' : undefined),
  })
  const honest = scene.add(chain)
  await until(() => scene.isAt(last(chain)))
  t.same(honest.scores, [])
  t.ok(liar.scores.length > 0)
})

t.test('another chain at a checkpoint', async (t) => {
  const other = [maker.genesis, ...maker.extend(maker.genesis, 45, { label: 'other' })]
  const checkpoints = [{ number: 10, hash: (chain[10] as Block).hash }]
  const scene = new SyncScene(t, WEIGHTY, { checkpoints })
  const dropped = scene.add(other)
  await until(() => dropped.isGone)
  t.same(dropped.scores, ['invalidHeader'])
  const honest = scene.add(chain)
  await until(() => scene.isAt(last(chain)))
  t.same(honest.scores, [])

  // One that says the right hash when asked for it, and sends the other chain.
  const two = new SyncScene(t, WEIGHTY, { checkpoints })
  const liar = two.add(other, {
    misbehave: (question) =>
      question.type === 'blockHashRequest' && question.height === 10
        ? { type: 'blockHashResponse', hash: (chain[10] as Block).hash }
        : undefined,
  })
  await until(() => liar.isGone)
  t.same(liar.scores, ['invalidHeader'])
  t.equal(two.chain.tip.number <= 9, true)

  const none = new SyncScene(t, WEIGHTY)
  none.add(other)
  await until(() => none.isAt(last(other)))
})
