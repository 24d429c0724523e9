import { isActive } from '../config/activations.ts'
import type { NetworkSpec } from '../config/networkSpec.ts'
import { max } from '../util/bigint.ts'

/** Time without blocks after which the minimum difficulty applies while RSKIP97 is inactive, seconds. */
const RESET_AFTER_SECONDS = 600n

const TIME_BITS = 64

/** The inputs of the difficulty; the block's own uncle count enters, not its parent's. */
export interface DifficultyInput {
  readonly number: number
  /** Seconds. */
  readonly timestamp: bigint
  readonly uncleCount: number
}

/**
 * Required difficulty of a block on its parent (consensus.md §4.4; RSKIP97, RSKIP156, RSKIP290). Sums and differences of
 * times have 64 signed bits, as the reference's.
 */
export function calculateDifficulty(
  spec: NetworkSpec,
  block: DifficultyInput,
  parent: { readonly fields: { readonly timestamp: bigint }; readonly difficulty: bigint },
): bigint {
  const { difficulty: constants } = spec
  const minimum = isActive(spec, 'rskip290', block.number) ? constants.minimumRskip290 : constants.minimum
  const { timestamp: parentTime } = parent.fields
  const resetAt = BigInt.asIntN(TIME_BITS, parentTime + RESET_AFTER_SECONDS)
  if (!isActive(spec, 'rskip97', block.number) && block.timestamp >= resetAt) return minimum
  const elapsed = BigInt.asIntN(TIME_BITS, block.timestamp - parentTime)
  // The reference multiplies in 32 bits.
  const target = BigInt(Math.imul(1 + block.uncleCount, constants.blockTimeSeconds))
  if (elapsed < 0n || elapsed === target) return parent.difficulty
  const divisor = isActive(spec, 'rskip156', block.number) ? constants.divisorRskip156 : constants.divisor
  const step = parent.difficulty / divisor
  const next = target > elapsed ? parent.difficulty + step : parent.difficulty - step
  return max(next, minimum)
}
