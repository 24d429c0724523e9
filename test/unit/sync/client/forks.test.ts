import t from 'tap'
import type { Block } from '../../../../src/chain/codec/block.ts'
import { BlockMaker } from '../../../support/blockMaker.ts'
import type { FakePeer } from '../../../support/fakePeer.ts'
import { SyncScene, until, WEIGHTY } from '../../../support/syncScene.ts'

const last = (blocks: readonly Block[]): Block => blocks.at(-1) as Block

const maker = new BlockMaker(t, WEIGHTY)
const chain = [maker.genesis, ...maker.extend(maker.genesis, 40)]
/** Longer than the chain and of nearly no work: silence of ten minutes makes a block cost nothing (consensus.md §4.4). */
const cheap = [...chain.slice(0, 5), ...maker.forgeMany(chain[4] as Block, 90, 700)]

t.test('a fork of low difficulty: no body of it is fetched, and saying more of it costs', async (t) => {
  const scene = new SyncScene(t, WEIGHTY, {}, chain)
  const liar = scene.add(cheap, { claims: 1n << 40n })
  await until(() => liar.isGone)
  t.equal(liar.count('bodyRequest'), 0)
  t.same(liar.scores, ['invalidMessage'])
  t.ok(liar.count('blockHeadersRequest') >= 2, 'the first time it may have been a change of its chain')
  t.ok(scene.isAt(last(chain)))
  t.equal(scene.chain.commits.length, 0)
})

t.test('a fork that never ends is given up when as much of it is held as may be', async (t) => {
  const scene = new SyncScene(t, WEIGHTY, { limits: { branchHeaders: 60, branchBytes: 1 << 20 } }, chain)
  const liar = scene.add(cheap, { claims: 1n << 40n })
  await until(() => liar.isGone)
  t.equal(liar.count('bodyRequest'), 0)
  t.same(liar.scores, ['invalidMessage'])
})

t.test('the bytes of headers that are held are bounded too', async (t) => {
  const scene = new SyncScene(t, WEIGHTY, { limits: { branchBytes: 10_000 } }, chain)
  const liar = scene.add(cheap, { claims: 1n << 40n })
  await until(() => liar.isGone)
  t.equal(liar.count('bodyRequest'), 0)
})

t.test('uncles that headers only pretend do not make a light branch heavy', async (t) => {
  // Twice the time for one uncle: the difficulty stays (consensus.md §4.4).
  const overridden = maker.extend(chain[38] as Block, 1, {
    pretendedUncles: 1,
    interval: 20,
    label: 'overridden',
  })
  const scene = new SyncScene(t, WEIGHTY, {}, chain)
  const liar = scene.add([...chain.slice(0, 39), ...overridden], { claims: 1n << 40n })
  await until(() => liar.isGone)
  t.same(liar.scores, ['invalidMessage'])
  t.equal(liar.count('bodyRequest'), 1, 'its weight is known then')
  t.ok(scene.isAt(last(chain)))
})

t.test('blocks beside the chain are bounded for each block of addresses', async (t) => {
  const side = maker.extend(chain[34] as Block, 5, { label: 'side' })
  const bytes = side.slice(0, 2).reduce((sum, { encoded }) => sum + encoded.length, 0)
  const open = new SyncScene(t, WEIGHTY, { limits: { sideBytesPerGroup: bytes } }, chain)
  const peer = open.add(chain, { address: '10.1.0.1' })
  const neighbour = open.add(chain, { address: '10.1.2.3' })
  const stranger = open.add(chain, { address: '10.9.0.1' })
  const send = (from: FakePeer, block: Block) =>
    open.client.onMessage(from, { type: 'block', block: block.encoded })
  const stored = () => side.filter(({ hash }) => open.chain.reader.headerByHash(hash) !== null).length
  for (const block of side.slice(0, 3)) await send(peer, block)
  t.equal(stored(), 2)
  await send(neighbour, side[2] as Block)
  t.equal(stored(), 2, 'the block of addresses counts, not the peer')
  await send(stranger, side[2] as Block)
  t.equal(stored(), 3)
  t.notOk(peer.isGone)
})

t.test('a heavier branch comes whatever its length', async (t) => {
  const heavy = [
    ...chain.slice(0, 5),
    ...maker.extend(chain[4] as Block, 38, { interval: 1, label: 'heavy' }),
  ]
  const scene = new SyncScene(t, WEIGHTY, {}, chain)
  const peer = scene.add(heavy)
  await until(() => scene.isAt(last(heavy)))
  t.equal(peer.status?.bestNumber, 42)
  t.same(peer.scores, [])
})
