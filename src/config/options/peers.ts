import { networkByName } from '../networks/byName.ts'
import type { NetworkName } from '../networks/names.ts'
import type { OptionTable } from '../option.ts'

/** Port where a network names none: that of regtest. */
const FALLBACK_PORT = 50501

/** True when nodes of the network discover one another; on the others `--peer` names peers. */
function isPublic(network: NetworkName): boolean {
  return network === 'main' || network === 'testnet'
}

/** Peers: discovery, admission and trust. */
export const PEER_OPTIONS = {
  peers: {
    kind: 'boolean',
    group: 'Peers',
    default: ({ network, isMember }) => isPublic(network) || isMember,
    defaultText: 'on for main, testnet and members of a fleet, else off',
    doc: 'Connect to other nodes; naming one with --peer switches it on',
  },
  peer: {
    kind: 'list',
    group: 'Peers',
    placeholder: 'ENODE',
    default: [],
    doc: 'Nodes that connections are always kept to, as enode://<128 hex digits>@host:port',
  },
  trustedPeers: {
    kind: 'list',
    group: 'Peers',
    placeholder: 'ID',
    default: [],
    doc: 'Node ids or addresses that may connect past the limits of number',
  },
  discovery: {
    kind: 'boolean',
    group: 'Peers',
    default: ({ network }) => isPublic(network),
    defaultText: 'on for main and testnet, else off',
    doc: 'Find other nodes over UDP',
  },
  p2pHost: {
    kind: 'text',
    group: 'Peers',
    placeholder: 'HOST',
    default: '0.0.0.0',
    doc: 'Address to take peers on, over TCP and UDP',
  },
  p2pPort: {
    kind: 'integer',
    group: 'Peers',
    minimum: 0,
    maximum: 65_535,
    default: ({ network }) => networkByName(network).p2p.defaultPort ?? FALLBACK_PORT,
    defaultText: '5050 on main, 50505 on testnet, 50501 on regtest',
    doc: 'Port for peers, the same number for TCP and UDP; 0 takes a free one',
  },
  p2pListen: {
    kind: 'boolean',
    group: 'Peers',
    default: true,
    doc: 'Take connections of other nodes; without it this node only makes them',
  },
  p2pAddress: {
    kind: 'optionalText',
    group: 'Peers',
    placeholder: 'ADDRESS',
    default: null,
    doc: 'IP address that other nodes reach this one at; nobody outside is asked for it',
  },
  maxPeers: {
    kind: 'integer',
    group: 'Peers',
    minimum: 1,
    maximum: 1000,
    default: 30,
    doc: 'Connected peers, at most half of which are of those that came by themselves',
  },
  peerMemory: {
    kind: 'integer',
    group: 'Peers',
    minimum: 32,
    maximum: 65_536,
    default: 256,
    doc: 'MiB that is kept for all peers together',
  },
  expectedPeers: {
    kind: 'integer',
    group: 'Peers',
    minimum: 1,
    maximum: 100,
    default: 3,
    doc: 'Peers that a synchronisation waits for, up to 30 seconds, unless one is named with --peer',
  },
  checkpoints: {
    kind: 'list',
    group: 'Peers',
    placeholder: 'HEIGHT:HASH',
    default: [],
    doc: 'Blocks that the chain must have: peers with another block at the height are left, a store with another one does not start',
  },
  syncMode: {
    kind: 'choice',
    group: 'Peers',
    values: ['full', 'snapshot'],
    default: 'full',
    doc: 'How an empty chain begins: full executes every block, snapshot fetches the state of a recent one from peers that announce snap, and has no receipts and states before it',
  },
  backfill: {
    kind: 'boolean',
    group: 'Peers',
    default: true,
    doc: 'Where the chain began with a snapshot, fetch the blocks below it from peers once at the tip, without their receipts and states: the disk and the traffic of all blocks',
  },
  snapshotServer: {
    kind: 'boolean',
    group: 'Peers',
    default: false,
    doc: 'Give states to nodes that synchronise by snapshot (capability snap)',
  },
} as const satisfies OptionTable
