import { max, min } from '../util/bigint.ts'
import { GAS_LIMIT_BOUND_DIVISOR } from './consensus.ts'

/** Bounds of a block's gas limit on its parent's, both allowed (consensus.md §4.2 rule 6). */
export function gasLimitBounds(parentGasLimit: bigint): { lower: bigint; upper: bigint } {
  return {
    lower: (parentGasLimit * (GAS_LIMIT_BOUND_DIVISOR - 1n)) / GAS_LIMIT_BOUND_DIVISOR,
    upper: (parentGasLimit * (GAS_LIMIT_BOUND_DIVISOR + 1n)) / GAS_LIMIT_BOUND_DIVISOR,
  }
}

/** Inputs of a miner's choice of the next gas limit. */
export interface NextGasLimitParams {
  readonly parentGasLimit: bigint
  readonly parentGasUsed: bigint
  readonly minimum: bigint
  readonly target: bigint
  /** True when to move towards the target regardless of usage; otherwise usage decides. */
  readonly forceTarget: boolean
  /** True when it may be the target at once. */
  readonly jumps?: boolean
}

/** Gas limit that a miner gives the next block (consensus.md §9.4). */
export function nextGasLimit(params: NextGasLimitParams): bigint {
  const { parentGasLimit: parent, minimum } = params
  const step = parent / GAS_LIMIT_BOUND_DIVISOR
  const target = max(params.target, minimum)
  if (params.jumps === true) return target
  if (params.forceTarget) return target < parent ? max(parent - step, target) : min(parent + step, target)
  const contribution = (params.parentGasUsed * 3n) / 2n / GAS_LIMIT_BOUND_DIVISOR
  const wanted = min(max(parent - step + contribution, minimum), target)
  return wanted < parent - step || wanted > parent + step ? parent : wanted
}
