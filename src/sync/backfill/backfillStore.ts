import type { ReadBlock } from '../../chain/import/messages.ts'

/** The store of blocks below the first stored one, in the chain thread. */
export interface BackfillStore {
  /**
   * Stores blocks in descending order, each the parent of the one before, in commits short enough for other
   * work of the thread to run in between.
   * @throws Error when they do not belong there, or the store takes no writes
   */
  takeBlocks(blocks: readonly ReadBlock[]): Promise<void>
}
