import { networkByName } from '../../config/networks/byName.ts'
import { toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'
import type { BelowFork } from '../fork/belowFork.ts'

/** The network of a fork, as Hardhat tells it, and the hosts that are asked for it; their addresses hold keys. */
function forkedNetwork({ base: { network, number, hash }, upstreamName }: BelowFork) {
  const { chainId } = networkByName(network)
  return { chainId, forkBlockNumber: number, forkBlockHash: hash, upstream: upstreamName }
}

/** Hardhat's description of its network for plugins; they keep deployments under the instance. */
export const metadata = defineMethod({
  name: 'hardhat_metadata',
  aliases: ['anvil_metadata'],
  doc: 'Name and version of the node, chain id, head, and an id that is another one after a start or reset.',
  params: [],
  result: { type: 'object' },
  lane: 'chain',
  cost: 1,
  cache: 'none',
  audience: 'dev',
  handler: async ({ node, chain, commands, belowFork }) => {
    const { number, hash } = chain.head()
    return {
      clientVersion: node.clientVersion,
      chainId: node.chainId,
      instanceId: await commands.dev.instance(),
      latestBlockNumber: number,
      latestBlockHash: toHex(hash),
      ...(belowFork === undefined ? {} : { forkedNetwork: forkedNetwork(belowFork) }),
    }
  },
})
