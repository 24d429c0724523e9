import type { PoolSolution } from './bitcoinSolution.ts'

/** A block that waits for its proof of work (mining.md §2). */
export interface MiningWork {
  /** Grows with every work of a run of the node. */
  readonly serial: number
  /** What a Bitcoin coinbase has to carry, 32 bytes. */
  readonly hashForMergedMining: Buffer
  /** Largest hash of a Bitcoin header that is a solution, 32 bytes big-endian. */
  readonly target: Buffer
  /** Wei. */
  readonly fees: bigint
  /** Whether miners should be told of it. */
  readonly notify: boolean
  readonly parentHash: Buffer
  /** Time of the block and of the Bitcoin header of the template, seconds since 1970. */
  readonly timestamp: number
}

/** Words of an import that pools know (mining.md §5). */
export type ImportWord = 'IMPORTED_BEST' | 'IMPORTED_NOT_BEST' | 'EXIST' | 'NO_PARENT' | 'INVALID_BLOCK'

/** What became of a solution. */
export type SolutionOutcome =
  | { readonly status: 'imported'; readonly word: ImportWord; readonly hash: Buffer; readonly number: number }
  /** The text says why (mining.md §5). */
  | { readonly status: 'refused'; readonly reason: string }
  /** It does not parse. */
  | { readonly status: 'malformed' }

/** A solution of the template that eth_getWork stands for (`README.md` of this folder). */
export interface TemplateSolution {
  /** 8 bytes: extra nonce, nonce. */
  readonly nonce: Buffer
  /** Hash for merged mining of the work, 32 bytes. */
  readonly work: Buffer
  /** Seed hash of the work, 32 bytes. */
  readonly seed: Buffer
}

/** Ends of submissions, for figures. */
export type SubmissionResult =
  | Lowercase<ImportWord>
  | 'unknown_work'
  | 'invalid_proof'
  | 'rate_limited'
  | 'malformed'

/** What a work server tells while it works. */
export interface WorkListener {
  /** New work; before anybody hears of the block that it is built on. */
  onWork(work: MiningWork): void
  /** @param age seconds since the work was built; null for an unknown one */
  onSubmission(result: SubmissionResult, age: number | null): void
  /** Work that nobody waits for could not be built. */
  onFailure(error: unknown): void
}

/** Merged mining as the chain thread offers it. */
export interface MiningService {
  /** The newest work; built now when there is none for the head. */
  work(): MiningWork
  submit(solution: PoolSolution): SolutionOutcome
  submitTemplate(solution: TemplateSolution): SolutionOutcome
}
