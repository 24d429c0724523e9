import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { EnodeAddress } from '../../p2p/identity/enode.ts'
import { DISCONNECT_REASONS } from '../../p2p/messages/codes.ts'
import type { PeerAdmin } from '../../p2p/peerAdmin.ts'
import type { PeerAddress } from '../../p2p/peers/ports.ts'
import type { NodeKey } from '../../p2p/wire/curve.ts'
import type { PeerNode } from './peerNode.ts'
import type { PeerOptions } from './peerOptions.ts'

/** What operators ask of a running {@link PeerNode} and change of it. */
export function createPeerCommands(
  node: PeerNode,
  { key, options, statics }: { key: NodeKey; options: PeerOptions; statics: PeerAddress[] },
): PeerAdmin {
  const { network, reputation } = node
  const ownId = key.id.toString('hex')
  const isStatic = (id: string) => statics.some((known) => known.id === id)
  return {
    self: async () => ({
      id: ownId,
      client: options.client,
      address: options.address ?? options.host,
      port: node.port,
    }),
    peers: async () =>
      network
        .figures()
        .peers.map(({ id, address, port, inbound, trusted, client, snap, ranges, ...rest }) => ({
          id,
          address,
          port,
          inbound,
          trusted,
          static: isStatic(id),
          client,
          capabilities: ['rsk/62', ...(snap ? ['snap/1'] : []), ...(ranges ? ['rhizome/1'] : [])],
          head:
            rest.bestNumber === null || rest.bestHash === null
              ? null
              : {
                  number: rest.bestNumber,
                  hash: rest.bestHash.slice(2),
                  totalDifficulty: rest.totalDifficulty,
                },
        })),
    add: async (peer) => {
      if (peer.id === ownId) return false
      if (!isStatic(peer.id)) statics.push(await resolvePeer(peer))
      return true
    },
    remove: async (id) => {
      const at = statics.findIndex((known) => known.id === id)
      if (at >= 0) statics.splice(at, 1)
      const connected = network.peers.find((peer) => peer.id === id)
      connected?.disconnect(DISCONNECT_REASONS.requested)
      return at >= 0 || connected !== undefined
    },
    scores: async () => reputation.scores(),
    clearScore: async (id) => {
      reputation.clearScore(id)
      return reputation.scores()
    },
    bans: async () => reputation.bans(),
    ban: (text) => reputation.ban(text),
    unban: (text) => reputation.unban(text),
  }
}

/** A node with an address in place of a name. @throws Error when the name has none */
export async function resolvePeer({ id, host, port }: EnodeAddress): Promise<PeerAddress> {
  const address = isIP(host) === 0 ? (await lookup(host)).address : host
  return { id, address, port }
}
