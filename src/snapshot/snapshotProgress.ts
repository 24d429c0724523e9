/** How far the making, checking or restoring of a snapshot is. */
export interface SnapshotProgress {
  readonly phase: 'state' | 'blocks'
  /** Trie nodes or blocks so far in this phase. */
  readonly items: number
  /** Bytes of contents so far, before compression. */
  readonly bytes: number
  /** Of everything, 0 to 1; null where nothing is known of the rest. */
  readonly fraction: number | null
}

/** Called now and then. */
export type SnapshotProgressSink = (progress: SnapshotProgress) => void
