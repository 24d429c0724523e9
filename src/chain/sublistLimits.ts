import { isActive } from '../config/activations.ts'
import type { NetworkSpec } from '../config/networkSpec.ts'
import { max } from '../util/bigint.ts'
import { PARALLEL_SUBLISTS } from './consensus.ts'

/** Gas limits of the sublists of a block. */
export interface SublistLimits {
  /** Of each parallel sublist. */
  readonly parallel: bigint
  /** Of the sequential one. */
  readonly sequential: bigint
}

/** True when blocks of this height are split into sublists (RSKIP144 with RSKIP351). */
export function hasSublists(spec: NetworkSpec, number: number): boolean {
  return isActive(spec, 'rskip351', number) && isActive(spec, 'rskip144', number)
}

/** Splits a block's gas limit (consensus.md §4.6). `lists.rs` of the native core has the same rule. */
export function sublistLimits(gasLimit: bigint, minimumSequentialGas: bigint): SublistLimits {
  const lists = BigInt(PARALLEL_SUBLISTS)
  const equal = gasLimit / (lists + 1n)
  const parallel = equal >= minimumSequentialGas ? equal : max(gasLimit - minimumSequentialGas, 0n) / lists
  return { parallel, sequential: gasLimit - lists * parallel }
}

/** Most gas that one transaction of a block can use (consensus.md §9.1 rule 8). */
export function transactionGasLimit(spec: NetworkSpec, number: number, gasLimit: bigint): bigint {
  if (!hasSublists(spec, number)) return gasLimit
  const { parallel, sequential } = sublistLimits(gasLimit, BigInt(spec.minimumSequentialGas))
  return max(parallel, sequential)
}
