import t, { type Test } from 'tap'
import type { Block } from '../../../../src/chain/codec/block.ts'
import type { Peer } from '../../../../src/p2p/peer.ts'
import type { SyncLimits } from '../../../../src/sync/client/limits.ts'
import { DEFAULT_SYNC_LIMITS } from '../../../../src/sync/client/limits.ts'
import { PeerChoice } from '../../../../src/sync/client/peerChoice.ts'
import { BlockMaker, spoil } from '../../../support/blockMaker.ts'
import { FakePeer, type FakePeerOptions, type Misbehaviour } from '../../../support/fakePeer.ts'
import { QUICK, SyncScene, until, WEIGHTY } from '../../../support/syncScene.ts'

const last = (blocks: readonly Block[]): Block => blocks.at(-1) as Block

const maker = new BlockMaker(t, WEIGHTY)
const chain = [maker.genesis, ...maker.extend(maker.genesis, 90)]
const KNOWN = 40
const known = chain.slice(0, KNOWN + 1)

const silent: Misbehaviour = () => 'silent'
/** The claim of the liar that took readiness away: far above, with more work than any chain. */
const CLAIM: FakePeerOptions = { claims: 1n << 80n, claimsNumber: 5_000 }

/** What the scene said of itself while something happened: each distinct answer once. */
async function seen(
  scene: SyncScene,
  isOver: () => boolean,
): Promise<{ syncing: boolean[]; highest: number[] }> {
  const syncing = new Set<boolean>()
  const highest = new Set<number>()
  await until(() => {
    const { stats } = scene.client
    syncing.add(stats.syncing)
    highest.add(stats.highestBlock)
    return isOver()
  })
  return { syncing: [...syncing], highest: [...highest] }
}

/** A client at block 40 with an honest peer, following. */
async function following(t: Test, limits: Partial<SyncLimits> = {}) {
  const scene = new SyncScene(t, WEIGHTY, { limits }, known)
  const honest = scene.add(known, { address: '10.200.0.1' })
  await until(() => scene.client.stats.stage === 'following')
  return { scene, honest }
}

const pushTo = (scene: SyncScene, peer: Peer, block: Block) =>
  scene.client.onMessage(peer, {
    type: 'newBlockHashes',
    blocks: [{ number: block.number, hash: block.hash }],
  })

t.test('a silent liar: nothing that the node says of itself changes, and it loses its slot', async (t) => {
  const { scene, honest } = await following(t, { requestTimeout: 600 })
  const liar = scene.add(known, { ...CLAIM, misbehave: silent })
  const during = seen(scene, () => liar.isGone)
  await until(() => liar.asked.length > 0)
  t.equal(scene.client.stats.stage, 'following')
  t.equal(scene.client.hasBetterBlockToSync, false, 'announcements and transactions go on')
  // The next block is followed while the liar is asked.
  honest.follow(chain.slice(0, KNOWN + 2))
  await pushTo(scene, honest, chain[KNOWN + 1] as Block)
  await until(() => scene.isAt(chain[KNOWN + 1] as Block))
  t.notOk(liar.isGone)
  const { syncing, highest } = await during
  t.same(syncing, [false])
  t.same(highest, [KNOWN, KNOWN + 1])
  t.same(honest.scores, ['validBlock'])
})

t.test('the same liar is banned the second time, by its address or by its id', async (t) => {
  const { scene } = await following(t)
  const address = '10.77.0.1'
  const first = scene.add(known, { ...CLAIM, address, misbehave: silent })
  await until(() => first.isGone)
  t.notOk(first.scores.includes('invalidMessage'), 'a peer may be busy once')
  const second = scene.add(known, { ...CLAIM, address, misbehave: silent })
  await until(() => second.isGone)
  t.ok(second.scores.includes('invalidMessage'))
})

t.test('a new liar as soon as the last one is gone', async (t) => {
  const { scene, honest } = await following(t)
  let blocks = KNOWN
  for (let round = 1; round <= 6; round += 1) {
    const liar = scene.add(known, { ...CLAIM, address: `10.77.${round}.1`, misbehave: silent })
    const during = seen(scene, () => liar.isGone)
    blocks += 1
    honest.follow(chain.slice(0, blocks + 1))
    await pushTo(scene, honest, chain[blocks] as Block)
    t.same((await during).syncing, [false])
    await until(() => scene.isAt(chain[blocks] as Block))
  }
  t.ok(honest.scores.every((event) => event === 'validBlock'))
})

t.test('many liars of one block of addresses say no more than one, whatever they answer', async (t) => {
  const { scene } = await following(t)
  const header = (chain[20] as Block).header.encodedCompressed
  const answers: Misbehaviour[] = [
    silent,
    ({ type }) => (type === 'blockHashRequest' ? undefined : 'silent'),
    ({ type }) => (type === 'skeletonRequest' ? 'silent' : undefined),
    ({ type }) =>
      type === 'blockHeadersRequest' ? { type: 'blockHeadersResponse', headers: [header] } : undefined,
  ]
  const liars = answers.flatMap((misbehave, at) =>
    [1, 2].map((host) => scene.add(known, { ...CLAIM, address: `10.77.${at}.${host}`, misbehave })),
  )
  const { syncing, highest } = await seen(scene, () => liars.every(({ isGone }) => isGone))
  t.same(syncing, [false])
  t.same(highest, [KNOWN])
})

t.test(
  'a node whose only peer is honest knows by its headers that it is behind, and when it is not',
  async (t) => {
    const scene = new SyncScene(t, WEIGHTY)
    const silentBodies: Misbehaviour = ({ type }) => (type === 'bodyRequest' ? 'silent' : undefined)
    const honest = scene.add(chain, { misbehave: silentBodies })
    await until(() => scene.client.stats.stage === 'blocks')
    t.match(scene.client.stats, { syncing: true, highestBlock: last(chain).number, currentBlock: 0 })
    t.equal(scene.client.hasBetterBlockToSync, true)
    honest.misbehave = () => undefined
    await until(() => scene.isAt(last(chain)))
    await until(() => scene.client.stats.stage === 'following')
    t.match(scene.client.stats, { syncing: false, highestBlock: last(chain).number })
    t.notOk(honest.isGone)
  },
)

t.test('a node that is behind gets there although liars with higher claims keep coming', async (t) => {
  const scene = new SyncScene(t, WEIGHTY, { limits: { requestTimeout: 100, waitForPeers: 50 } })
  let liars = 0
  const next = () => {
    liars += 1
    const misbehave: Misbehaviour = ({ type }) => (type === 'blockHashRequest' ? undefined : 'silent')
    const address = `10.${100 + (liars % 100)}.${liars}.1`
    scene.add(chain, { ...CLAIM, claims: (1n << 80n) + BigInt(liars), address, misbehave })
  }
  for (let count = 0; count < 4; count += 1) next()
  const honest = scene.add(chain, { address: '10.99.0.1' })
  const timer = setInterval(next, 100)
  t.teardown(() => clearInterval(timer))
  await until(() => scene.isAt(last(chain)))
  t.notOk(honest.isGone)
})

t.test('three peers of different addresses are believed, until they do not show it', async (t) => {
  const { scene } = await following(t, { requestTimeout: 500, claimGrace: 100 })
  const heights = [5_000, 4_000, 3_000]
  const liars = heights.map((claimsNumber, at) =>
    scene.add(known, { ...CLAIM, claimsNumber, address: `10.${70 + at}.0.1`, misbehave: silent }),
  )
  t.match(scene.client.stats, { syncing: true, highestBlock: 3_000 }, 'the height that all three claim')
  t.equal(scene.client.hasBetterBlockToSync, true)
  await until(() => liars.every(({ isGone }) => isGone))
  t.match(scene.client.stats, { syncing: false, highestBlock: KNOWN })
})

t.test('two are not, nor three of which two are of one block of addresses', async (t) => {
  const { scene } = await following(t)
  const addresses = ['10.70.0.1', '10.71.0.1', '10.71.200.1']
  const liars = addresses.map((address) => scene.add(known, { ...CLAIM, address, misbehave: silent }))
  const { syncing, highest } = await seen(scene, () => liars.every(({ isGone }) => isGone))
  t.same(syncing, [false])
  t.same(highest, [KNOWN])
})

t.test('a liar that shows a part: what it shows counts, the rest of its claim does not', async (t) => {
  const { scene } = await following(t)
  const shown = chain.slice(0, KNOWN + 31)
  const liar = scene.add(shown, { claims: 1n << 80n, claimsNumber: 5_000, address: '10.77.0.1' })
  const { highest } = await seen(scene, () => liar.isGone)
  t.ok(scene.isAt(last(shown)))
  t.ok(Math.max(...highest) <= KNOWN + 30, highest.join())
  t.equal(scene.client.stats.syncing, false)
})

t.test('headers with their work whose blocks nobody gives', async (t) => {
  const { scene } = await following(t)
  const hollow = [...known, ...maker.forgeMany(last(known), 40)]
  const liar = scene.add(hollow, {
    address: '10.77.0.1',
    misbehave: ({ type }) => (type === 'bodyRequest' ? 'silent' : undefined),
  })
  const { highest } = await seen(scene, () => liar.isGone)
  t.ok(Math.max(...highest) <= KNOWN + 40)
  t.ok(highest.includes(KNOWN + 40), 'headers with work are proven')
})

t.test('a leader that is silent is not credited with what others give', async (t) => {
  const scene = new SyncScene(t, WEIGHTY, { limits: { enoughPeers: 2, waitForPeers: 60_000 } })
  const liar = scene.add(chain, {
    ...CLAIM,
    misbehave: ({ type }) => (type === 'blockHashRequest' ? undefined : 'silent'),
  })
  const honest = scene.add(chain)
  await until(() => scene.isAt(last(chain)))
  await until(() => liar.isGone)
  t.notOk(honest.isGone)
  t.equal(scene.client.stats.syncing, false)
})

t.test('a leader that answers slowly may search the common block for a limited time', async (t) => {
  const scene = new SyncScene(t, WEIGHTY, { limits: { requestTimeout: 5_000, patience: 300 } }, known)
  const other = [maker.genesis, ...maker.extend(maker.genesis, 60, { label: 'other' })]
  const slow = scene.add(other, {
    claims: 1n << 80n,
    misbehave: () => new Promise((resolve) => setTimeout(() => resolve(undefined), 120)),
  })
  await until(() => slow.isGone)
  t.ok(slow.count('blockHashRequest') < 6)
})

t.test('heights without more work than ours are no claims', async (t) => {
  const { scene, honest } = await following(t)
  for (const at of [1, 2, 3]) {
    const options = { claims: 5n, claimsNumber: 1e9, address: `10.${60 + at}.0.1`, misbehave: silent }
    scene.add(known, options)
  }
  t.match(scene.client.stats, { syncing: false, highestBlock: KNOWN })
  honest.follow(chain.slice(0, KNOWN + 2))
  await pushTo(scene, honest, chain[KNOWN + 1] as Block)
  await until(() => scene.isAt(chain[KNOWN + 1] as Block))
})

t.test('claims are asked for also while another branch is followed', async (t) => {
  const spoiled = spoil(chain[60] as Block, { paidFees: 1n })
  const kinds: [Misbehaviour, string][] = [
    [silent, 'timeoutMessage'],
    [() => ({ type: 'blockHeadersResponse', headers: [] }), 'invalidMessage'],
    [() => ({ type: 'blockHeadersResponse', headers: [Buffer.from('c0', 'hex')] }), 'invalidMessage'],
    [
      () => ({ type: 'blockHeadersResponse', headers: [(chain[60] as Block).header.encodedCompressed] }),
      'invalidMessage',
    ],
    [() => ({ type: 'blockHeadersResponse', headers: [spoiled.header.encodedCompressed] }), 'invalidHeader'],
  ]
  for (const [answer, event] of kinds) {
    const scene = new SyncScene(t, WEIGHTY, {
      limits: { claimGrace: 0, patience: 60_000, bodyTimeout: 60_000 },
    })
    // Its bodies do not come, so that its branch stays the one that is followed.
    scene.add(chain, { misbehave: ({ type }) => (type === 'bodyRequest' ? 'silent' : undefined) })
    await until(() => scene.client.stats.stage === 'blocks')
    const tells: FakePeerOptions =
      event === 'invalidHeader' ? { claims: 1n << 80n } : { claims: 1n << 80n, claimsNumber: 5_000 }
    const blocks = event === 'invalidHeader' ? [...chain.slice(0, 60), spoiled] : known
    const liar = scene.add(blocks, {
      ...tells,
      misbehave: (question) =>
        question.type === 'blockHeadersRequest' && question.count === 1 ? answer(question) : 'silent',
    })
    await until(() => liar.isGone)
    t.ok(liar.scores.includes(event as 'timeoutMessage'), `${event}: ${liar.scores}`)
    scene.peers.length = 0
    await scene.client.close()
  }
})

t.test(
  'a peer that the operator chose is believed once it shows its best header, and never sent away',
  async (t) => {
    const { scene } = await following(t)
    const quiet = scene.add(known, { ...CLAIM, trusted: true, misbehave: silent })
    await until(() => quiet.scores.length > 2)
    t.match(scene.client.stats, { syncing: false, highestBlock: KNOWN })
    t.notOk(quiet.isGone)
    t.notOk(quiet.scores.includes('invalidMessage'))
    const chosen = scene.add(chain, {
      trusted: true,
      misbehave: (question) =>
        question.type === 'blockHeadersRequest' && question.count === 1 ? undefined : 'silent',
    })
    await until(() => scene.client.stats.highestBlock === last(chain).number)
    t.equal(scene.client.stats.syncing, true)
    t.notOk(chosen.isGone)
  },
)

t.test('once a claim was not kept, those lead that kept one, then those that came first', (t) => {
  const limits = { ...DEFAULT_SYNC_LIMITS, ...QUICK, failureRest: 0 }
  const choice = new PeerChoice({ limits, now: () => 1_000, isStatic: () => false })
  const [old, kept, liar] = [3n, 2n, 9n].map((claims) => new FakePeer(known, { claims })) as [
    FakePeer,
    FakePeer,
    FakePeer,
  ]
  for (const peer of [old, kept, liar]) peer.status = peer.status && { ...peer.status, receivedAt: 1_000 }
  t.same(choice.better([old, kept, liar], 1n), [liar, old, kept])
  choice.succeeded(kept)
  choice.unkept(liar)
  const next = new FakePeer(known, { claims: 10n })
  next.status = next.status && { ...next.status, receivedAt: 1_000 }
  t.same(choice.better([next, liar, kept, old], 1n), [kept, old, next, liar])
  choice.succeeded(kept)
  t.same(choice.better([old, kept, next], 1n), [next, old, kept])
  t.end()
})
