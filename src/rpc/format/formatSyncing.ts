import type { SyncProgress } from '../context.ts'
import type { Json } from '../json.ts'
import { quantity } from './quantity.ts'

/** Sync status object; false when in sync. */
export function formatSyncing(progress: SyncProgress | null): Json {
  if (progress === null) return false
  return {
    startingBlock: quantity(progress.startingBlock),
    currentBlock: quantity(progress.currentBlock),
    highestBlock: quantity(progress.highestBlock),
  }
}
