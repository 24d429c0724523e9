/** Timeouts and limits of snapshot synchronisation. Times are milliseconds. */
export interface SnapshotLimits {
  /** Number of missing blocks from which a snapshot is worthwhile (p2p.md §5 Snapshot sync). */
  readonly distance: number
  /** Timeouts of requests for headers, a body or a hash, and for a chunk or blocks. */
  readonly requestTimeout: number
  readonly bulkTimeout: number
  /** Most open requests per peer: the reference queues three for snapshots (p2p.md §5 Snapshot sync). */
  readonly openChunks: number
  readonly openHeaders: number
  readonly openBodies: number
  /** Chunks of headers, and of the state, fetched ahead of the next one. */
  readonly chunksAhead: number
  readonly stateAhead: number
  /** Groups of blocks fetched ahead: each takes 7 MiB at most. */
  readonly groupsAhead: number
  /** Requests per minute and peer that are left to urgent messages. */
  readonly reserve: number
  /** Headers between two saves of the progress. */
  readonly headersPerSave: number
  /** Pause before peers are asked again after none could continue. */
  readonly rest: number
  /** Failed attempts with a state before another block is chosen. */
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

/** Size of a chunk in the reference's unit of KiB: it is sent and ignored (p2p.md §5 Snapshot sync). */
export const CHUNK_SIZE_FIELD = 50

/**
 * Size above which a chunk is rejected: it spans 51,200 bytes of the state, plus the ancestors of its ends.
 */
export const MAX_CHUNK_BYTES: number = 4 << 20
