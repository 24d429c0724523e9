import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { EnodeAddress } from '../../p2p/identity/enode.ts'
import type { PeerAdmin, PeerInfo } from '../../p2p/peerAdmin.ts'
import type { PeerStats } from '../../p2p/peers/peerStats.ts'
import type { PeerAddress } from '../../p2p/peers/ports.ts'
import type { NodeKey } from '../../p2p/wire/curve.ts'
import type { PeerOptions } from '../options/peerOptions.ts'
import type { PeerNode } from './peerNode.ts'

/** The commands by which operators ask and change a running {@link PeerNode}. */
export function createPeerCommands(
  node: PeerNode,
  { key, options, networkId }: { key: NodeKey; options: PeerOptions; networkId: number },
): PeerAdmin {
  const { network, reputation } = node
  const ownId = key.id.toString('hex')
  return {
    self: async () => ({
      id: ownId,
      client: options.client,
      address: options.address ?? options.host,
      port: node.port,
      listensOn: options.listens ? options.host : null,
      discovers: options.discovery,
      networkId,
    }),
    peers: async () => network.stats().peers.map(peerInfo),
    add: async (peer) => network.add(await resolvePeer(peer)),
    setMembers: async (connect, trusted) => {
      const resolved = new Map<string, PeerAddress>()
      for (const member of trusted) {
        // A name that is not resolved now is tried again when members are set again.
        const address = await resolvePeer(member).catch(() => null)
        if (address !== null) resolved.set(member.id, address)
      }
      const ids = new Set(connect.map(({ id }) => id))
      network.setMembers(
        [...resolved.values()].filter(({ id }) => ids.has(id)),
        [...resolved.values()],
      )
    },
    remove: async (id) => network.remove(id),
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

function peerInfo(peer: PeerStats): PeerInfo {
  const { id, address, port, inbound, trusted, client, snap, ranges, bestNumber, bestHash } = peer
  return {
    id,
    address,
    port,
    inbound,
    trusted,
    static: peer.static,
    client,
    capabilities: ['rsk/62', ...(snap ? ['snap/1'] : []), ...(ranges ? ['rhizome/1'] : [])],
    head:
      bestNumber === null || bestHash === null
        ? null
        : { number: bestNumber, hash: bestHash.slice(2), totalDifficulty: peer.totalDifficulty },
  }
}

/** A node with an address in place of a name. @throws Error when the name has none */
export async function resolvePeer({ id, host, port }: EnodeAddress): Promise<PeerAddress> {
  const address = isIP(host) === 0 ? (await lookup(host)).address : host
  return { id, address, port }
}
