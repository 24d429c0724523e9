import { isIPv6 } from 'node:net'
import { formatEnode } from '../../p2p/identity/enode.ts'
import type { PeerInfo } from '../../p2p/peerAdmin.ts'
import { defineMethod } from '../defineMethod.ts'
import { quantity } from '../format/quantity.ts'
import type { Json } from '../json.ts'

/** Connected peers in geth's form; `id` is the node id, not a hash of it. */
export const adminPeers = defineMethod({
  name: 'admin_peers',
  doc: 'Connected peers with their names, addresses and heads.',
  params: [],
  result: { type: 'array' },
  lane: 'inline',
  cost: 1,
  cache: 'none',
  handler: async ({ peers }) => (await peers.peers()).map(describe),
})

function describe(peer: PeerInfo): Json {
  const { id, address, port, inbound, trusted, client, capabilities, head } = peer
  const place = isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`
  return {
    id,
    name: client,
    enode: formatEnode({ id, host: address, port }),
    caps: [...capabilities],
    network: { remoteAddress: place, inbound, trusted, static: peer.static },
    protocols: {
      rsk:
        head === null
          ? 'handshake'
          : {
              number: quantity(head.number),
              hash: `0x${head.hash}`,
              totalDifficulty: head.totalDifficulty === null ? null : quantity(head.totalDifficulty),
            },
    },
  }
}
