/** What came of a test file. */
export interface FileResult {
  readonly path: string
  /** What it printed for tap. */
  readonly output: string
  /** Why its process did not end as it should: `exit code 1`, `signal SIGSEGV`; null when it did. */
  readonly failure: string | null
  readonly wallSeconds: number
  /** User and system time of its process and of all that this one waited for; null where it died before it could say. */
  readonly processorSeconds: number | null
}
