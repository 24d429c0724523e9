import type { ReadBlock } from '../../chain/import/messages.ts'

/** Where blocks below the first one that is kept go; the chain thread has it. */
export interface BackfillStore {
  /**
   * Stores blocks, from the top down, each the parent of the one before, in commits so short that whatever else the
   * thread does has its turn.
   * @throws Error when they do not belong there, or the store takes no writes
   */
  takeBlocks(blocks: readonly ReadBlock[]): Promise<void>
}
