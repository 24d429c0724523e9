/**
 * What happened in executions, for developers who look at the terminal or the log of their node. Reports cross threads:
 * they are plain values, with addresses and data as 0x hex.
 */

/** A code that names of contracts are found by. */
export interface InvolvedContract {
  readonly address: string
  /** Code of the account; empty where it has none. */
  readonly code: Uint8Array
  /** True when it is one of the contracts that are part of the node. */
  readonly isPrecompiled: boolean
}

/** The summary of an execution, from its trace. */
export interface ExecutionSummary {
  readonly from: string
  /** null for a creation. */
  readonly to: string | null
  /** The account that was created; null where none was. */
  readonly created: string | null
  /** Wei. */
  readonly value: bigint
  readonly input: string
  /** Gas as the trace counts it. */
  readonly gasUsed: bigint
  /** Reason why it failed, such as `out of gas`; null for a success. */
  readonly error: string | null
  /** True when it failed by a revert, whose data are {@link output}. */
  readonly isRevert: boolean
  /** Return or revert data. */
  readonly output: string
  /** Data of the calls to the console, in their order. */
  readonly console: readonly string[]
  /** Calls to the console that are left out because there are too many. */
  readonly moreConsole: number
  /** The called account, and the one whose code it ran on its own account, as a proxy does. */
  readonly contracts: readonly InvolvedContract[]
}

/** A call or an estimate that a method executed. */
export interface CallReport {
  readonly kind: 'call'
  readonly method: string
  readonly gasLimit: bigint
  /** Height of the block on whose state it ran. */
  readonly block: number
  readonly summary: ExecutionSummary
}

/** A call or an estimate that failed, as it is kept for a while; data that are long are cut. */
export interface FailedCall {
  /** Counts from 1 since the node started. */
  readonly number: number
  /** Time when it failed, seconds since 1970. */
  readonly time: number
  readonly method: string
  /** Height of the block on whose state it ran. */
  readonly block: number
  readonly from: string
  /** null for a creation. */
  readonly to: string | null
  /** The account whose code the called one ran on its own account, as a proxy does; null where there is none. */
  readonly implementation: string | null
  /** Wei. */
  readonly value: bigint
  readonly gasLimit: bigint
  readonly gasUsed: bigint
  readonly input: string
  readonly error: string
  /** Data of its revert; null where it failed otherwise. */
  readonly output: string | null
  /** Data of the calls to the console, in their order. */
  readonly console: readonly string[]
  /** Calls to the console that are left out. */
  readonly moreConsole: number
}

/** A transaction in a block. */
export interface TransactionReport {
  readonly kind: 'transaction'
  /** The method that it was sent with; null where that is not known. */
  readonly method: string | null
  readonly hash: string
  readonly gasUsed: bigint
  readonly gasLimit: bigint
  readonly block: number
  readonly blockHash: string
  readonly summary: ExecutionSummary
}

/** A transaction that was refused. */
export interface RefusalReport {
  readonly kind: 'refusal'
  /** null where it was accepted once, and that is not known any more. */
  readonly method: string | null
  /** null where it was refused before it had one. */
  readonly hash: string | null
  readonly reason: string
}

/** Requests of a method that there is not. */
export interface UnknownMethodReport {
  readonly kind: 'unknownMethod'
  /** null for those beyond the names that are told apart. */
  readonly method: string | null
  /** Requests so far. */
  readonly times: number
  readonly reason: string
}

/** Blocks without transactions, which come one after the other. */
export interface EmptyBlocksReport {
  readonly kind: 'emptyBlocks'
  readonly first: number
  readonly last: number
}

/** One thing to report. */
export type ExecutionReport =
  | CallReport
  | TransactionReport
  | RefusalReport
  | UnknownMethodReport
  | EmptyBlocksReport

/** Takes reports of executions. There is none where nobody looks, and nothing is traced then. */
export interface ExecutionReports {
  /** True where only calls that fail are wanted: the others are answered the shortest way. */
  readonly isOfFailures?: boolean
  /** Takes a report; never throws. */
  report(report: CallReport | RefusalReport): void
  /** A transaction is offered to the pool by this method; in the front thread only. @param hash 0x hex */
  sending?(hash: string, method: string): void
  /** A method was asked for that there is not; in the front thread only. @param reason what the caller is told */
  unknown?(method: string, reason: string): void
}

/** Says why an execution failed, in words: reason, panic or an error of a contract that is known. */
export type DescribeFailure = (
  failure: Pick<ExecutionSummary, 'error' | 'isRevert' | 'output'>,
) => Promise<string>
