import type { PoolSolution } from './bitcoinSolution.ts'

/** A block that waits for its proof of work (mining.md §2). */
export interface MiningWork {
  /** Counts the work items of a run of the node. */
  readonly serial: number
  /** Hash that the Bitcoin coinbase commits to, 32 bytes. */
  readonly hashForMergedMining: Buffer
  /** Target: the largest hash of a Bitcoin header that solves it, 32 bytes big-endian. */
  readonly target: Buffer
  /** Wei. */
  readonly fees: bigint
  /** True when miners should be notified of it. */
  readonly notify: boolean
  readonly parentHash: Buffer
  /** Time of the block and of the Bitcoin header of the template, seconds since 1970. */
  readonly timestamp: number
}

/** Import results that pools know (mining.md §5). */
export type ImportWord = 'IMPORTED_BEST' | 'IMPORTED_NOT_BEST' | 'EXIST' | 'NO_PARENT' | 'INVALID_BLOCK'

/** Result of a solution. */
export type SolutionOutcome =
  | { readonly status: 'imported'; readonly word: ImportWord; readonly hash: Buffer; readonly number: number }
  /** The message says why (mining.md §5). */
  | { readonly status: 'refused'; readonly reason: string }
  /** It is malformed: which part, and what was expected. */
  | { readonly status: 'malformed'; readonly reason: string }

/** A solution of the template of eth_getWork (`README.md` of this folder). */
export interface TemplateSolution {
  /** 8 bytes: extra nonce, nonce. */
  readonly nonce: Buffer
  /** Hash for merged mining of the work, 32 bytes. */
  readonly work: Buffer
  /** Seed hash of the work, 32 bytes. */
  readonly seed: Buffer
}

/** Results of submissions, for metrics. */
export type SubmissionResult =
  | Lowercase<ImportWord>
  | 'unknown_work'
  | 'invalid_proof'
  | 'rate_limited'
  | 'malformed'

/** Events of a work server. */
export interface WorkListener {
  /** New work; called before listeners of the head learn of the block that it is built on. */
  onWork(work: MiningWork): void
  /** @param age seconds since the work was built; null for an unknown one */
  onSubmission(result: SubmissionResult, age: number | null): void
  /** Building work in the background failed. */
  onFailure(error: unknown): void
}

/** Nodes at which a solution of the same work counts (fleet.md §9). */
export interface WorkSharing {
  /** Gives a template (`workTemplate.ts`) that was built here to the others. */
  announce(template: Buffer): void
}

/** Interface of the chain thread for merged mining. */
export interface MiningService {
  /** The current work; built now when there is none on the best executed block. */
  work(): MiningWork
  submit(solution: PoolSolution): SolutionOutcome
  submitTemplate(solution: TemplateSolution): SolutionOutcome
}
