import t from 'tap'
import { type Block, parseBlockUnchecked } from '../../../../src/chain/codec/block.ts'
import type { BlockOutcome } from '../../../../src/sync/syncChain.ts'
import { BlockMaker } from '../../../support/blockMaker.ts'
import { SyncScene, until, WEIGHTY } from '../../../support/syncScene.ts'

const last = (blocks: readonly Block[]): Block => blocks.at(-1) as Block

const maker = new BlockMaker(t, WEIGHTY)
const chain = [maker.genesis, ...maker.extend(maker.genesis, 30)]
/** A block with a wrong state root and some on top, heavier than the chain. */
const wrong = [...chain.slice(0, 21), ...maker.forgeMany(chain[20] as Block, 15)]

/** Makes the chain of a scene refuse a block as one whose execution came to something else. */
function refuse(scene: SyncScene, block: Block): void {
  scene.chain.before = (blocks) => {
    const index = blocks.findIndex((encoded) => parseBlockUnchecked(WEIGHTY, encoded).hash.equals(block.hash))
    if (index < 0) return null
    const refusal = {
      number: block.number,
      hash: block.hash,
      rule: 'stateRoot',
      expected: '0x01',
      found: '0x02',
    } as const
    if (index > 0) return null
    return [{ status: 'INVALID_BLOCK', refusal }]
  }
}

t.test('a wrong state root: who sends it is scored, the honest chain goes on', async (t) => {
  const scene = new SyncScene(t, WEIGHTY)
  const liar = scene.add(wrong)
  await until(() => liar.isGone)
  t.same(liar.scores, ['invalidBlock'])
  t.equal(scene.chain.tip.number, 20)
  const honest = scene.add(chain)
  await until(() => scene.isAt(last(chain)))
  t.same(honest.scores, [])
  t.same(scene.halts, [])
  // The branch is known now: whoever comes with it is asked for no body of it.
  const second = scene.add(wrong, { address: '10.200.0.1' })
  await until(() => second.isGone)
  t.equal(second.count('bodyRequest'), 0)
  t.same(second.scores, ['invalidBlock'])
})

t.test('independent peers with more work insist: synchronisation halts and nobody is punished', async (t) => {
  const scene = new SyncScene(t, WEIGHTY, { limits: { commitBlocks: 1 } })
  refuse(scene, chain[25] as Block)
  const peers = ['10.1.0.1', '10.2.0.1', '10.3.0.1', '10.3.0.2'].map((address) =>
    scene.add(chain, { address }),
  )
  await until(() => scene.client.halt !== null)
  const { number, hash, rule, expected, found, insisting } = scene.halts[0] ?? {}
  t.same(
    { number, hash, rule, expected, found, insisting },
    { number: 25, hash: chain[25]?.hash, rule: 'stateRoot', expected: '0x01', found: '0x02', insisting: 3 },
  )
  t.equal(scene.chain.tip.number, 24)
  t.equal(scene.client.stats.stage, 'halted')
  for (const peer of peers) t.same(peer.scores, [])
  // Longer chains with it change nothing, announcements of its blocks neither.
  const more = scene.add(chain, { address: '10.4.0.1', claims: 1n << 40n })
  const asked = () => more.count('blockHeadersRequest')
  await until(() => asked() > 0)
  await scene.client.onMessage(more, { type: 'block', block: (chain[25] as Block).encoded })
  t.equal(scene.chain.tip.number, 24)
  t.notOk(more.isGone)
  t.same(more.scores, [])
  t.equal(scene.halts.length, 1)
})

t.test('a heavier branch without the block ends the halt', async (t) => {
  const scene = new SyncScene(t, WEIGHTY, { limits: { commitBlocks: 1 } })
  refuse(scene, chain[25] as Block)
  for (const address of ['10.1.0.1', '10.2.0.1', '10.3.0.1']) scene.add(chain, { address })
  await until(() => scene.client.halt !== null)
  const other = [...chain.slice(0, 25), ...maker.extend(chain[24] as Block, 9, { label: 'other' })]
  scene.add(other)
  await until(() => scene.isAt(last(other)))
  t.equal(scene.client.halt, null)
  t.same(
    scene.halts.map((halt) => halt?.number ?? null),
    [25, null],
  )
})

t.test('who came with the block before enough others did is forgiven when they do', async (t) => {
  const scene = new SyncScene(t, WEIGHTY, { limits: { commitBlocks: 1, insisting: 2 } })
  refuse(scene, chain[25] as Block)
  const first = scene.add(chain, { address: '10.1.0.1' })
  await until(() => first.isGone)
  t.same(first.scores, ['invalidBlock'])
  t.same(scene.forgiven, [])
  const second = scene.add(chain, { address: '10.2.0.1' })
  await until(() => scene.client.halt !== null)
  t.same(scene.forgiven, [first.id])
  t.same(second.scores, [])
})

t.test('peers of one block of addresses are one, trusted ones are each their own', async (t) => {
  const scene = new SyncScene(t, WEIGHTY, { limits: { commitBlocks: 1, insisting: 2 } })
  refuse(scene, chain[25] as Block)
  const [first] = ['10.1.0.1', '10.1.2.2', '10.1.3.3'].map((address) => scene.add(chain, { address }))
  await until(() => scene.chain.tip.number === 24 && scene.peers.length === 0)
  t.same(first?.scores, ['invalidBlock'])
  t.equal(scene.client.halt, null)

  const trusting = new SyncScene(t, WEIGHTY, { limits: { commitBlocks: 1, insisting: 2 } })
  refuse(trusting, chain[25] as Block)
  for (const address of ['10.1.0.1', '10.1.2.2']) trusting.add(chain, { address, trusted: true })
  await until(() => trusting.client.halt !== null)
  t.equal(trusting.client.halt?.insisting, 2)
})

t.test('an error of this node punishes nobody and is tried again', async (t) => {
  const scene = new SyncScene(t, WEIGHTY)
  let errors = 0
  scene.chain.before = (): readonly BlockOutcome[] | null => {
    errors += 1
    if (errors === 1) return [{ status: 'UNDECIDED', reason: 'the disk is full' }]
    if (errors === 2) throw new Error('the chain thread has ended')
    return null
  }
  const peer = scene.add(chain)
  await until(() => scene.isAt(last(chain)))
  t.same(peer.scores, [])
  t.notOk(peer.isGone)
  t.ok(errors > 2)
})

t.test('a block of the own chain that turned out to be wrong stops synchronisation for good', async (t) => {
  const scene = new SyncScene(t, WEIGHTY)
  scene.add(chain.slice(0, 21))
  await until(() => scene.isAt(chain[20] as Block))
  const { number, hash } = chain[10] as Block
  scene.client.stopAt({ number, hash, rule: 'stateRoot', expected: '0x01', found: '0x02' })
  const peer = scene.add(chain, { address: '10.9.0.1', claims: 1n << 60n })
  await scene.client.onMessage(peer, { type: 'block', block: (chain[21] as Block).encoded })
  await until(() => scene.client.stats.stage === 'halted')
  t.equal(scene.chain.tip.number, 20)
  t.equal(scene.halts.at(-1)?.number, 10)
  t.notOk(peer.isGone)
})
