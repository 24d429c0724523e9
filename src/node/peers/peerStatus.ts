import type { NodeStatus, SyncProgress } from '../../rpc/context.ts'
import type { PeerReport } from './messages.ts'

/** Blocks behind the best known one from which on a node is of little use (p2p.md §6 `hasBetterBlockToSync`). */
const FAR_BEHIND = 24

/** What methods tell of peers; without peers nothing changes. */
export function peerStatus(
  report: PeerReport | null,
): Partial<Pick<NodeStatus, 'listening' | 'peers' | 'syncing' | 'peering'>> {
  if (report === null) return {}
  return {
    peers: report.network.peers.map(({ id, address, port }) => `${id} | /${address}:${port}`),
    syncing: syncProgress(report),
    peering: report,
  }
}

/** How far synchronisation is; null at the tip. */
export function syncProgress({ sync }: PeerReport): SyncProgress | null {
  const { syncing, startingBlock, currentBlock, highestBlock } = sync
  return syncing ? { startingBlock, currentBlock, highestBlock } : null
}

/** Why requests should go to another node; empty when they need not. */
export function peerReasons(report: PeerReport | null): string[] {
  if (report === null) return []
  const { halted, sync } = report
  if (halted !== null) {
    const { number, rule, expected, found } = halted
    return [
      `peers insist on block ${number}, which breaks ${rule} here (expected ${expected}, found ${found}): this node follows them no further`,
    ]
  }
  const behind = sync.highestBlock - sync.currentBlock
  return sync.syncing && behind >= FAR_BEHIND
    ? [`synchronising: block ${sync.currentBlock} of ${sync.highestBlock}`]
    : []
}
