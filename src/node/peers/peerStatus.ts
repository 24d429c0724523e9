import type { NodeStatus, PeerThreadStatus, SyncProgress } from '../../rpc/context.ts'
import { FAR_BEHIND } from '../../sync/client/protocol.ts'
import { checkedHeaderOf, type SnapshotStats, type SyncStats } from '../../sync/client/syncStats.ts'
import { describeHalt } from '../../sync/halt/halt.ts'
import type { PeerReport } from './messages.ts'

/** The status of peers for methods; without peers nothing changes. */
export function peerStatus(
  report: PeerReport | null,
  thread: PeerThreadStatus,
): Partial<Pick<NodeStatus, 'listening' | 'peers' | 'syncing' | 'peering'>> {
  if (report === null) return {}
  return {
    peers: report.network.peers.map(({ id, address, port }) => `${id} | /${address}:${port}`),
    syncing: syncProgress(report),
    peering: { ...report, thread },
  }
}

/** Progress of synchronisation; null at the tip. */
export function syncProgress({ sync }: PeerReport): SyncProgress | null {
  const { syncing, startingBlock, currentBlock, highestBlock } = sync
  return syncing ? { startingBlock, currentBlock, highestBlock } : null
}

/** Reason why requests should go to another node; empty when they need not. */
export function peerReasons(report: PeerReport | null, { fault }: PeerThreadStatus): string[] {
  if (fault !== null) return [`peers cannot be reached, which is tried again: ${fault}`]
  if (report === null) return []
  const { halted, sync } = report
  if (halted !== null) return [describeHalt(halted)]
  if (sync.snapshot !== undefined) return [snapshotReason(sync, sync.snapshot)]
  if (sync.backfill?.fault) return [`blocks below the snapshot: ${sync.backfill.fault}`]
  const behind = sync.highestBlock - sync.currentBlock
  return sync.syncing && behind >= FAR_BEHIND
    ? [`synchronising: block ${sync.currentBlock} of ${sync.highestBlock}`]
    : []
}

/** Progress of the snapshot that the chain is to begin with. */
function snapshotReason(sync: SyncStats, snapshot: SnapshotStats): string {
  const { block, stateBytes, stateSize, blocksLeft, reason } = snapshot
  const mebibytes = (bytes: number) => Math.floor(bytes / 1024 / 1024)
  if (reason !== null) return `synchronising by a snapshot: ${reason}`
  if (block === null) return `synchronising by a snapshot: header ${checkedHeaderOf(sync)}`
  if (blocksLeft === null)
    return `synchronising by a snapshot: ${mebibytes(stateBytes)} of ${mebibytes(stateSize)} MiB of the state of block ${block}`
  return `synchronising by a snapshot: ${blocksLeft} blocks below block ${block} are missing`
}
