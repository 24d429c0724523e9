/** The part of a branch's tip that fork choice reads. */
export interface BranchTip {
  readonly hash: Buffer
  /** Of the branch, uncles included. */
  readonly totalDifficulty: bigint
  /** Wei. */
  readonly paidFees: bigint
}

/** A branch of equal difficulty wins when its tip pays more than this many times the fees. */
const FEE_FACTOR = 2n

/** True when a newly connected tip replaces the best one (consensus.md §7). A tie goes to the first seen. */
export function isBetterTip(candidate: BranchTip, best: BranchTip): boolean {
  if (candidate.totalDifficulty !== best.totalDifficulty)
    return candidate.totalDifficulty > best.totalDifficulty
  if (candidate.paidFees > FEE_FACTOR * best.paidFees) return true
  return best.paidFees < FEE_FACTOR * candidate.paidFees && candidate.hash.compare(best.hash) < 0
}
