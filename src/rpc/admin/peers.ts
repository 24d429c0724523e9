import { formatEnode } from '../../p2p/identity/enode.ts'
import { RSK_CAPABILITY } from '../../p2p/messages/hello.ts'
import type { PeerInfo } from '../../p2p/peerAdmin.ts'
import { defineMethod } from '../defineMethod.ts'
import { hostPort } from '../format/hostPort.ts'
import { quantity } from '../format/quantity.ts'
import type { Json } from '../json.ts'

/**
 * Connected peers in geth's form, with its members of the same types; a protocol has its version and `rsk` the peer's
 * head beside it. `id` is the node id, not a hash of it; the port is the one that the peer says it listens on.
 */
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
  return {
    id,
    name: client,
    enode: formatEnode({ id, host: address, port }),
    caps: [...capabilities],
    network: { remoteAddress: hostPort(address, port), inbound, trusted, static: peer.static },
    protocols: {
      ...Object.fromEntries(capabilities.map(versionOf)),
      rsk:
        head === null
          ? 'handshake'
          : {
              version: RSK_CAPABILITY.version,
              number: quantity(head.number),
              hash: `0x${head.hash}`,
              totalDifficulty: head.totalDifficulty === null ? null : quantity(head.totalDifficulty),
            },
    },
  }
}

/** `snap/1` as `snap` with its version. */
function versionOf(capability: string): [string, Json] {
  const [name = '', version = ''] = capability.split('/')
  return [name, { version: Number(version) }]
}
