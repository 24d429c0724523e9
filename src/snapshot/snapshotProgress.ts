/** Progress of creating, checking or restoring a snapshot. */
export interface SnapshotProgress {
  readonly phase: 'state' | 'blocks'
  /** Trie nodes or blocks so far in this phase. */
  readonly items: number
  /** Bytes of contents so far, before compression. */
  readonly bytes: number
  /** Completed fraction, 0 to 1; null when unknown. */
  readonly fraction: number | null
}

/** Called periodically. */
export type SnapshotProgressSink = (progress: SnapshotProgress) => void
