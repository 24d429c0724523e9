/**
 * Divisor of the largest change of the minimum gas price from a block to the next; 1 wei is always allowed.
 */
const RANGE_DIVISOR = 100n

/** Bounds of a block's minimum gas price on its parent's, both allowed (consensus.md §4.2 rule 3). */
export function minimumGasPriceBounds(parent: bigint): { lower: bigint; upper: bigint } {
  const percent = parent / RANGE_DIVISOR
  const step = percent === 0n ? 1n : percent
  const lower = parent - step
  return { lower: lower > 0n ? lower : 0n, upper: parent + step }
}

/** Minimum gas price that a miner gives the next block: the target, as near as the range allows. */
export function nextMinimumGasPrice(parent: bigint, target: bigint): bigint {
  const { lower, upper } = minimumGasPriceBounds(parent)
  if (target < lower) return lower
  return target > upper ? upper : target
}
