/** Something that is wrong with a store. */
export interface Problem {
  /** Height it was found at; null for what belongs to no block. */
  readonly number: number | null
  /** 64 hex digits, or empty. */
  readonly hash: string
  /** What was expected and what is there. */
  readonly message: string
}
