import { askOfPeers } from '../../askOfPeers.ts'
import { defineCommand } from '../../command.ts'
import { EXIT_CODES } from '../../exitCodes.ts'
import { NODE_URL } from '../../nodeClient.ts'
import { textTable } from '../../textTable.ts'

/** The members of a response of admin_peers that are used. */
interface ListedPeer {
  readonly id: string
  readonly name: string
  readonly enode: string
  readonly network: { readonly remoteAddress: string; readonly inbound: boolean; readonly static: boolean }
  readonly protocols: { readonly rsk: 'handshake' | { readonly number: string } }
}

/** Digits of a node id that lists show. */
const SHOWN_DIGITS = 8

/** `rhizome peer list`: the peers of a running node. */
export const peerList = defineCommand({
  name: 'peer list',
  summary: 'list the connected peers of a running node',
  files: 'none',
  options: [],
  extra: { ...NODE_URL, json: { kind: 'boolean', group: 'Command', default: false, doc: 'Print JSON' } },
  run: async ({ extra: { url, json }, stdout }) => {
    const peers = (await askOfPeers(url, 'admin_peers')) as readonly ListedPeer[]
    if (json) stdout.write(`${JSON.stringify(peers, null, 2)}\n`)
    else if (peers.length === 0) stdout.write('no peers\n')
    else stdout.write(textTable(['id', 'address', 'way', 'head', 'client'], peers.map(row)))
    return EXIT_CODES.ok
  },
})

function row({ id, name, network, protocols: { rsk } }: ListedPeer): readonly string[] {
  const way = network.inbound ? 'came' : network.static ? 'kept' : 'dialled'
  const head = rsk === 'handshake' ? '-' : String(Number(rsk.number))
  return [id.slice(0, SHOWN_DIGITS), network.remoteAddress, way, head, name]
}
