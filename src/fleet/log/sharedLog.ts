/** Memory that the fleet thread writes and the chain thread reads: two sequences of the log (fleet.md §4). */
export interface SharedLog {
  /** See {@link ADMITTED} and {@link STABLE}. */
  readonly sequences: Float64Array
}

/** Element: the pool has what entries up to this one did, at most. */
export const ADMITTED = 0
/** Element: every member that may serve has applied the entries up to this one. */
export const STABLE = 1

const ELEMENTS = 2

export function createSharedLog(): SharedLog {
  return { sequences: new Float64Array(new SharedArrayBuffer(ELEMENTS * Float64Array.BYTES_PER_ELEMENT)) }
}
