import type { ReadBlock } from '../../chain/import/messages.ts'
import type { SnapshotTarget } from '../../storage/snapshotSyncState.ts'

/** How far a snapshot synchronisation is in the stores. */
export interface SnapshotPosition {
  /** The newest checked headers, as `HeaderWindow` writes them; null before the first were kept. */
  readonly headers: Buffer | null
  /** The block whose state is fetched; null before it was chosen. */
  readonly target: SnapshotTarget | null
  /** Offset of the next state chunk that is wanted; null once the state is whole. */
  readonly nextChunk: number | null
  /** The next block that is wanted below the target, from the top down; null once all of them are there. */
  readonly nextBlock: WantedBlock | null
}

/** A block that is known by its hash alone. */
export interface WantedBlock {
  readonly number: number
  readonly hash: Buffer
  /** Lowest block that is needed for the next block's execution. */
  readonly lowest: number
}

/**
 * Where a snapshot synchronisation keeps what it has fetched: the chain thread's part of it. What is given was checked;
 * each call is durable, or made again after a restart. Until {@link adopt} the head is genesis and nobody sees anything
 * of it.
 */
export interface SnapshotStore {
  position(): Promise<SnapshotPosition>
  /** Keeps the newest checked headers. */
  saveHeaders(record: Buffer): Promise<void>
  /** Names the block whose state is fetched. A part of another state is forgotten. */
  setTarget(target: SnapshotTarget): Promise<SnapshotPosition>
  /** Takes the next chunk of the state. @returns why it is not that, null when it was taken; and the next one */
  takeChunk(chunk: Buffer): Promise<{ readonly refused: string | null; readonly nextChunk: number | null }>
  /** Takes the next blocks, descending. @returns the next one that is wanted */
  takeBlocks(blocks: readonly ReadBlock[]): Promise<WantedBlock | null>
  /** Makes the target the head, once state and blocks are there. */
  adopt(): Promise<void>
  /** Forgets all that was fetched. */
  discard(): Promise<void>
}
