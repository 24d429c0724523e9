import type { PeerStats } from '../../p2p/peers/peerStats.ts'
import type { BackfillStats, SnapshotStats, SyncStats } from '../../sync/client/syncStats.ts'
import type { Halt } from '../../sync/halt/halt.ts'
import { toHex } from '../../util/bytes.ts'
import type { PeeringStatus } from '../context.ts'
import { defineMethod } from '../defineMethod.ts'
import { quantity } from '../format/quantity.ts'
import type { Json } from '../json.ts'

/** Digits of a node id that are shown: enough to distinguish peers, not enough to look up where they are. */
const ID_DIGITS = 16

/** Peers without their addresses, and synchronisation (rpc.md §3.10, decisions.md D65); null without peers. */
export const getPeerStatus = defineMethod({
  name: 'rsk_getPeerStatus',
  aliases: ['ext_getPeerStatus'],
  doc: 'Peers without their addresses, and how far synchronisation is; null for a node without peers.',
  params: [],
  result: { type: 'object' },
  lane: 'inline',
  cost: 5,
  cache: 'none',
  handler: (context) => {
    const { peering } = context.status()
    return peering === undefined ? null : describe(peering)
  },
})

function describe({
  network,
  sync,
  knownNodes,
  halted,
  clockBehind,
  clockAhead,
  thread,
}: PeeringStatus): Json {
  return {
    listening: network.listening !== null,
    knownNodes: quantityOrNull(knownNodes),
    bytesIn: quantity(network.bytesIn),
    bytesOut: quantity(network.bytesOut),
    clockBehind: quantityOrNull(clockBehind),
    clockAhead: quantityOrNull(clockAhead),
    // Why is for the log and /ready: an error may name addresses.
    isDown: thread.fault !== null,
    restarts: quantity(thread.restarts),
    sync: describeSync(sync),
    halted: halted === null ? null : describeHalt(halted),
    peers: network.peers.map(describePeer),
  }
}

function describeSync(sync: SyncStats): Json {
  return {
    stage: sync.stage,
    syncing: sync.syncing,
    startingBlock: quantity(sync.startingBlock),
    currentBlock: quantity(sync.currentBlock),
    highestBlock: quantity(sync.highestBlock),
    checkedHeader: quantity(sync.checkedHeader),
    headersPerSecond: tenths(sync.headersPerSecond),
    blocksPerSecond: tenths(sync.blocksPerSecond),
    secondsLeft: sync.syncing ? quantityOrNull(sync.secondsLeft) : null,
    peersUsed: quantity(sync.peersUsed),
    snapshot: sync.snapshot === undefined ? null : describeSnapshot(sync.snapshot),
    backfill: sync.backfill === undefined ? null : describeBackfill(sync.backfill),
  }
}

function describeSnapshot({ block, stateBytes, stateSize, blocksLeft, reason }: SnapshotStats): Json {
  return {
    number: quantityOrNull(block),
    stateBytes: quantity(stateBytes),
    stateSize: quantity(stateSize),
    blocksLeft: quantityOrNull(blocksLeft),
    reason,
  }
}

function describeBackfill(backfill: BackfillStats): Json {
  const { state, firstBlock, blocksLeft, blocksPerSecond, secondsLeft, peersUsed, fault } = backfill
  return {
    state,
    firstBlock: quantity(firstBlock),
    blocksLeft: quantity(blocksLeft),
    blocksPerSecond: tenths(blocksPerSecond),
    secondsLeft: quantityOrNull(secondsLeft),
    peersUsed: quantity(peersUsed),
    fault,
  }
}

/** The reason why an error of this node keeps the chain from going on is for the log and /ready. */
function describeHalt({ cause, number, hash, rule, expected, found }: Halt): Json {
  return { cause, number: quantityOrNull(number), hash: hash && toHex(hash), rule, expected, found }
}

function describePeer(peer: PeerStats): Json {
  return {
    id: peer.id.slice(0, ID_DIGITS),
    client: peer.client,
    inbound: peer.inbound,
    number: quantityOrNull(peer.bestNumber),
    totalDifficulty: peer.totalDifficulty === null ? null : quantity(peer.totalDifficulty),
    connectedSeconds: quantity(peer.connectedSeconds),
    bytesIn: quantity(peer.bytesIn),
    bytesOut: quantity(peer.bytesOut),
    score: peer.score,
    latency: peer.latency === null ? null : quantity(Math.round(peer.latency)),
  }
}

function quantityOrNull(value: number | null): string | null {
  return value === null ? null : quantity(value)
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10
}
