import type { ReadBlock } from '../../chain/import/messages.ts'
import type { SnapshotTarget } from '../../chain/tables/snapshotSyncState.ts'

/** Stored progress of a snapshot synchronisation. */
export interface SnapshotPosition {
  /** The latest checked headers, encoded by `HeaderWindow`; null before the first were saved. */
  readonly headers: Buffer | null
  /** The block whose state is fetched; null before it is chosen. */
  readonly target: SnapshotTarget | null
  /** Offset of the next state chunk; null once the state is complete. */
  readonly nextChunk: number | null
  /** The next block to fetch below the target, in descending order; null once all are stored. */
  readonly nextBlock: WantedBlock | null
}

/** A block of which only the hash is known. */
export interface WantedBlock {
  readonly number: number
  readonly hash: Buffer
  /** Lowest block that the execution of the next block needs. */
  readonly lowest: number
}

/**
 * The store of a snapshot synchronisation, in the chain thread. It receives checked data; each call is
 * durable, or repeated after a restart. Until {@link adopt} the head is genesis and no other reader sees the
 * data.
 */
export interface SnapshotStore {
  position(): Promise<SnapshotPosition>
  /** Saves the latest checked headers. */
  saveHeaders(record: Buffer): Promise<void>
  /** Sets the block whose state is fetched. Parts of another state are discarded. */
  setTarget(target: SnapshotTarget): Promise<SnapshotPosition>
  /**
   * Adds the next chunk of the state. @returns why it was rejected, null when it was accepted; and the next
   * one
   */
  takeChunk(chunk: Buffer): Promise<{ readonly refused: string | null; readonly nextChunk: number | null }>
  /** Adds the next blocks, descending. @returns the next one to fetch */
  takeBlocks(blocks: readonly ReadBlock[]): Promise<WantedBlock | null>
  /** Makes the target the head, once state and blocks are complete. */
  adopt(): Promise<void>
  /** Discards all fetched data. */
  discard(): Promise<void>
}
