import type {
  BlockEnvironment,
  ExecutableTransaction,
  TransactionResult,
} from '../../native/addon/index.d.ts'
import { addon } from './addon.ts'
import type { NativeChainSpec } from './chainSpec.ts'
import { native } from './errors.ts'
import type { StateStore } from './stateStore.ts'

/** One transaction outside a block. */
export interface ExecuteTransactionParams {
  /** Root of the state before it, 32 bytes. */
  readonly root: Uint8Array
  readonly block: BlockEnvironment
  readonly transaction: ExecutableTransaction
  /** Index in the block. */
  readonly index: number
  /** Gas used before it in the block. */
  readonly gasUsedBefore: bigint
}

/**
 * Executes a transaction on a state and keeps the state after it. The fee goes to REMASC at once, whatever the
 * rules.
 * @throws NativeError `InvalidBlock` for a transaction that must not be in a block
 */
export function executeTransaction(
  spec: NativeChainSpec,
  store: StateStore,
  params: ExecuteTransactionParams,
): TransactionResult {
  const { root, block, transaction, index, gasUsedBefore } = params
  return native(() =>
    addon.executeTransaction(spec, store.handle, root, block, transaction, index, gasUsedBefore),
  )
}

/**
 * Gas that a transaction must bring along in a block of a height: 0 for the reward transaction and for free
 * ones to the Bridge (consensus.md §5.4).
 */
export function basicCost(spec: NativeChainSpec, number: number, transaction: ExecutableTransaction): bigint {
  return native(() => addon.basicCost(spec, number, transaction))
}
