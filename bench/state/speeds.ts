/** Figures of the tool that writes states. */
export interface Written {
  readonly root: string
  readonly seconds: number
  /** Making the table of the head. */
  readonly tableSeconds: number
  readonly bytes: number
}

/** Median of some measurements. */
export interface Speed {
  readonly requestsPerSecond: number
  /** Processor time of the node for one request, microseconds. */
  readonly microseconds: number
}

/** Kinds of read; earlier ones only where the chain has blocks. */
export type ReadName = 'balances' | 'cells' | 'earlier balances' | 'earlier cells'

/** One node on a state of one size. */
export interface Measured {
  readonly size: number
  readonly name: string
  /** Null for a node that wrote none of this. */
  readonly written: Written | null
  readonly startSeconds: number | null
  readonly ownMiB: number
  /** Null where the node has no such states. */
  readonly speeds: Readonly<Record<ReadName, Speed | null>>
}
