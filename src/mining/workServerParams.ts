import type { ConnectResult } from '../chain/blockchain.ts'
import type { Block } from '../chain/codec/block.ts'
import type { BlockHeader } from '../chain/codec/header.ts'
import type { NetworkSpec } from '../config/networkSpec.ts'
import type { WorkListener, WorkSharing } from './interface.ts'

/** Options of a work server. */
export interface WorkOptions {
  /** Maximum age of work before it is rebuilt with a new time, milliseconds. */
  readonly refreshTime: number
  /** True when pending transactions cause new work. */
  readonly onTransactions: boolean
  /** Minimum interval of submissions, milliseconds; 0 for no limit. */
  readonly submissionInterval: number
  /** Fees in wei that work on the same parent must add for miners to be notified. */
  readonly notifyFees: bigint
}

/** Parts of a work server. */
export interface WorkServerParams {
  readonly options: WorkOptions
  readonly listener: WorkListener
  /** The next block on the best executed one, without proof of work. @throws MiningError */
  readonly build: () => Block
  /** True when a header's proof of work is right (consensus.md §3.2). */
  readonly isProven: (header: BlockHeader) => boolean
  readonly connect: (block: Block) => ConnectResult | { readonly status: 'IMPORTED_BEST' }
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Nodes at which solutions of the work of others count, too. */
  readonly shared?: SharedWork
}

/** The parts that a work server needs to take the work of others. */
export interface SharedWork {
  readonly sharing: WorkSharing
  readonly spec: NetworkSpec
  /** Hash of the best executed block. */
  readonly best: () => Buffer
}
