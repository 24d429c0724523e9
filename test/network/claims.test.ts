import t, { type Test } from 'tap'
import type { Block } from '../../src/chain/codec/block.ts'
import { peerReasons, syncProgress } from '../../src/node/peers/peerStatus.ts'
import type { SyncLimits } from '../../src/sync/client/limits.ts'
import { BlockMaker } from '../support/blockMaker.ts'
import type { FakePeerOptions } from '../support/fakePeer.ts'
import { until } from '../support/peerNode.ts'
import { WEIGHTY } from '../support/syncScene.ts'
import { openLiar } from './attackers/liar.ts'
import { openWholeNode, type WholeNode } from './wholeNode.ts'

const RUNS = { restarts: 0, fault: null }
/** Silence must not hold the test up; a machine that many use may answer late. */
const LIMITS: Partial<SyncLimits> = { requestTimeout: 2_000, waitForPeers: 500, grace: 200 }
const SILENT: FakePeerOptions = { claims: 1n << 80n, claimsNumber: 5_000, misbehave: () => 'silent' }

const maker = new BlockMaker(t, WEIGHTY)
const chain = [maker.genesis, ...maker.extend(maker.genesis, 60)]
const base = chain.slice(0, 31)

/** A node that follows an honest one. */
async function scene(t: Test) {
  const source = await openWholeNode(t, WEIGHTY, '127.60.0.1', [], base.slice(1))
  const victim = await openWholeNode(t, WEIGHTY, '127.61.0.1', [source.place], [], { limits: LIMITS })
  await until(() => victim.isAt(base.at(-1) as Block))
  await until(() => victim.node.report().sync.stage === 'following')
  return { source, victim }
}

/** What /ready and eth_syncing would say. */
const isFine = (victim: WholeNode) =>
  peerReasons(victim.node.report(), RUNS).length === 0 && syncProgress(victim.node.report()) === null

t.test('one liar after the other: the node stays ready, follows, and sends them away', async (t) => {
  const { source, victim } = await scene(t)
  let faults = 0
  for (const [at, block] of chain.slice(31, 36).entries()) {
    const liar = await openLiar(t, victim, WEIGHTY, `127.${70 + at}.0.1`, base, SILENT)
    const isThere = () => victim.node.network.peers.some(({ id }) => id === liar.id)
    await until(isThere)
    source.open.chain.connect(block)
    await until(() => {
      if (!isFine(victim)) faults += 1
      return victim.isAt(block) && !isThere()
    })
    await liar.network.close()
  }
  t.equal(faults, 0)
  t.notOk(victim.node.reputation.refusesNode(source.place.id))
})

t.test('a node that is really behind is not ready, by the headers of its only peer', async (t) => {
  const source = await openWholeNode(t, WEIGHTY, '127.62.0.1', [], chain.slice(1))
  const victim = await openWholeNode(t, WEIGHTY, '127.63.0.1', [], [], { limits: LIMITS })
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const connect = victim.chain.connect.bind(victim.chain)
  victim.chain.connect = async (blocks) => {
    await held
    return connect(blocks)
  }
  await victim.node.network.add(source.place)
  await until(() => syncProgress(victim.node.report()) !== null)
  t.match(peerReasons(victim.node.report(), RUNS), [/^synchronising: block 0 of 60$/])
  t.match(syncProgress(victim.node.report()), { currentBlock: 0, highestBlock: 60 })
  release()
  await until(() => victim.isAt(chain.at(-1) as Block))
  await until(() => isFine(victim))
})

t.test('three liars of different addresses are believed until their time is over', async (t) => {
  const { victim } = await scene(t)
  const addresses = ['127.80.0.1', '127.81.0.1', '127.82.0.1']
  await Promise.all(addresses.map((address) => openLiar(t, victim, WEIGHTY, address, base, SILENT)))
  await until(() => peerReasons(victim.node.report(), RUNS).length > 0)
  t.match(peerReasons(victim.node.report(), RUNS), [/^synchronising: block 30 of 5000$/])
  await until(() => isFine(victim))
})
