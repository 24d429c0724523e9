import t from 'tap'
import type { Block } from '../../src/chain/codec/block.ts'
import { BlockMaker } from '../support/blockMaker.ts'
import { until } from '../support/peerNode.ts'
import { WEIGHTY } from '../support/syncScene.ts'
import { openWholeNode } from './wholeNode.ts'

const maker = new BlockMaker(t, WEIGHTY)
const chain = maker.extend(maker.genesis, 6)

t.test(
  'a node that takes no connections finds others by discovery, synchronises and is found by nobody',
  async (t) => {
    const boot = await openWholeNode(t, WEIGHTY, '127.62.0.1', [], [], { discovery: true })
    const { address: host, port } = boot.place
    const found = { ...WEIGHTY, p2p: { ...WEIGHTY.p2p, bootstrap: [{ host, port }] } }
    // Has the chain; the node behind NAT knows its bootstrap node only.
    const source = await openWholeNode(t, found, '127.63.0.1', [], chain, { discovery: true })
    const hidden = await openWholeNode(t, found, '127.64.0.1', [], [], { discovery: true, listens: false })
    await until(() => hidden.isAt(chain.at(-1) as Block))
    const stats = () => hidden.node.report().network
    await until(() => stats().outbound === 2)
    t.match(stats(), { listening: null, inbound: 0 })
    t.same(
      new Set(stats().peers.map(({ id }) => id)),
      new Set([boot.place.id, source.place.id]),
      'both were dialled from here',
    )
    // A block of the node behind NAT reaches the others over its own connections.
    const [next] = maker.extend(chain.at(-1) as Block, 1)
    hidden.open.chain.connect(next as Block)
    await until(() => source.isAt(next as Block) && boot.isAt(next as Block))
  },
)
