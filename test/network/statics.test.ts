import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import type { Block } from '../../src/chain/codec/block.ts'
import { BlockMaker } from '../support/blockMaker.ts'
import { until } from '../support/peerNode.ts'
import { WEIGHTY } from '../support/syncScene.ts'
import { openWholeNode } from './wholeNode.ts'

const maker = new BlockMaker(t, WEIGHTY)
const chain = maker.extend(maker.genesis, 6)
/** More peers than there are, and no time after which fewer do. */
const NEVER_BY_ITSELF = { expectedPeers: 5, limits: { waitForPeers: Number.POSITIVE_INFINITY } }
/** Longer than synchronisation takes to look at its peers again, milliseconds. */
const LOOK_MS = 1500

t.test('the word of a node that the operator adds is enough, of one that he removed it is not', async (t) => {
  const source = await openWholeNode(t, WEIGHTY, '127.60.0.1', [], chain)
  const node = await openWholeNode(t, WEIGHTY, '127.61.0.1', [source.place], [], NEVER_BY_ITSELF)
  // Before the first dial can have ended.
  node.node.network.remove(source.place.id)
  source.node.network.add(node.place)
  await until(() =>
    node.node.network.peers.some(({ id, status }) => id === source.place.id && status !== null),
  )
  await sleep(LOOK_MS)
  t.equal(node.open.chain.head.number, 0, 'a removed peer is one of many')
  t.match(node.node.report(), { sync: { stage: 'waiting' }, network: { peers: [{ static: false }] } })
  node.node.network.add(source.place)
  await until(() => node.isAt(chain.at(-1) as Block))
  t.match(node.node.report().network.peers, [{ id: source.place.id, static: true }])
})
