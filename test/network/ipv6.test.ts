import { networkInterfaces } from 'node:os'
import t from 'tap'
import type { Block } from '../../src/chain/codec/block.ts'
import { BlockMaker } from '../support/blockMaker.ts'
import { until } from '../support/peerNode.ts'
import { WEIGHTY } from '../support/syncScene.ts'
import { openWholeNode } from './wholeNode.ts'

const HERE = '::1'
const BLOCKS = 12

/** Addresses of this machine. */
function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((some) => (some ?? []).map(({ address }) => address))
}

// With discovery and an address per node: `npm run network -- --only ipv6`.
t.test(
  'whole nodes follow one another over IPv6',
  {
    skip: ownAddresses().includes(HERE) ? false : 'no IPv6 here',
  },
  async (t) => {
    const maker = new BlockMaker(t, WEIGHTY)
    const chain = maker.extend(maker.genesis, BLOCKS + 1)
    const last = chain.at(-1) as Block
    const source = await openWholeNode(t, WEIGHTY, HERE, [], chain.slice(0, BLOCKS))
    const node = await openWholeNode(t, WEIGHTY, HERE, [source.place])
    await until(() => node.isAt(chain[BLOCKS - 1] as Block))
    source.open.chain.connect(last)
    await until(() => node.isAt(last))
    t.equal(node.node.network.peers[0]?.address, HERE)
    t.equal(source.node.network.peers[0]?.address, HERE)
  },
)
