/** What snapshot synchronisation waits for and how much it holds. Times are milliseconds. */
export interface SnapshotLimits {
  /** Blocks that are to be fetched from which on a snapshot is worth it (p2p.md §5 Snapshot sync). */
  readonly distance: number
  /** Time for an answer with headers, a body or a hash, and for one with a chunk or blocks. */
  readonly requestTimeout: number
  readonly bulkTimeout: number
  /** Questions that one peer has open at once: the reference queues three of snapshots (p2p.md §5 Snapshot sync). */
  readonly openChunks: number
  readonly openHeaders: number
  readonly openBodies: number
  /** Chunks of headers, and of the state, that are fetched ahead of the next one. */
  readonly chunksAhead: number
  readonly stateAhead: number
  /** Groups of blocks that are fetched ahead: each takes 7 MiB at most. */
  readonly groupsAhead: number
  /** Questions left in a peer's minute for what cannot wait. */
  readonly reserve: number
  /** Headers between two notes of how far they are. */
  readonly headersPerSave: number
  /** Pause before peers are asked again after nobody could go on. */
  readonly rest: number
  /** Times that nobody goes on with a state before another block is chosen. */
  readonly attempts: number
}

/** Limits of a node on a network. */
export const DEFAULT_SNAPSHOT_LIMITS: SnapshotLimits = {
  distance: 10_000,
  requestTimeout: 15_000,
  bulkTimeout: 30_000,
  openChunks: 3,
  openHeaders: 2,
  openBodies: 8,
  chunksAhead: 8,
  stateAhead: 96,
  groupsAhead: 4,
  reserve: 10,
  headersPerSave: 4_096,
  rest: 3_000,
  attempts: 3,
}

/** Bytes of a chunk, in the reference's unit of KiB: it is sent and not looked at (p2p.md §5 Snapshot sync). */
export const CHUNK_SIZE_FIELD = 50

/** Bytes above which no chunk is looked at: it spans 51,200 of the state, beside the ancestors of its ends. */
export const MOST_CHUNK_BYTES: number = 4 << 20
