/** A problem found in a store. */
export interface Problem {
  /** Height at which it was found; null for what belongs to no block. */
  readonly number: number | null
  /** 64 hex digits, or empty. */
  readonly hash: string
  /** The expected value and the one that was found. */
  readonly message: string
}
