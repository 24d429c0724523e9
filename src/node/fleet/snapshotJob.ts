import type { NetworkChoice } from '../../config/networks/configured.ts'

/** Work on a snapshot in a process of its own. */
export interface SnapshotJob {
  readonly kind: 'create' | 'check'
  /** Rules of the chain. */
  readonly chain: NetworkChoice
  readonly dataDir: string
  /** Of the snapshot. */
  readonly folder: string
  /** Blocks between the head and the block of a snapshot that is created. */
  readonly depth: number
  /** Name and version of the program. */
  readonly program: string
}

/** How it ended. */
export type SnapshotJobEnd =
  | { readonly kind: 'done' }
  /** `code` is that of the error, null for one without. */
  | { readonly kind: 'failed'; readonly code: string | null; readonly message: string }
