import type { SignedTransaction } from '../chain/codec/transaction.ts'
import type { NativeBlockExecution } from '../native/blockExecution.ts'
import { isNeverGiven } from '../native/errors.ts'

/** An execution of those of some transactions that could be executed. */
export interface ReadableExecution {
  readonly execution: NativeBlockExecution
  readonly kept: readonly SignedTransaction[]
  /** Transactions that read, behind the kept ones, what the network of a fork never gives. */
  readonly unreadable: readonly SignedTransaction[]
}

/**
 * Executes candidates without those that read what the network of a fork never gives: one of them would else stop all
 * blocks. Where nothing is refused, which is always so without a fork, there is one execution.
 * @param run executes candidates, in order
 * @throws what `run` throws of anything else, or without a candidate
 */
export function executeReadable(
  run: (candidates: readonly SignedTransaction[]) => NativeBlockExecution,
  candidates: readonly SignedTransaction[],
): ReadableExecution {
  const unreadable: SignedTransaction[] = []
  let kept = candidates
  for (;;) {
    try {
      return { execution: run(kept), kept, unreadable }
    } catch (error) {
      if (!isNeverGiven(error) || kept.length === 0) throw error
      const at = firstUnreadable(run, kept)
      unreadable.push(...kept.slice(at, at + 1))
      kept = kept.filter((_, index) => index !== at)
    }
  }
}

/** Index of the candidate with which an execution of the first ones fails. */
function firstUnreadable(
  run: (candidates: readonly SignedTransaction[]) => NativeBlockExecution,
  candidates: readonly SignedTransaction[],
): number {
  // So many of the first ones can be executed, and so many cannot.
  let good = 0
  let bad = candidates.length
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    try {
      run(candidates.slice(0, middle))
      good = middle
    } catch (error) {
      if (!isNeverGiven(error)) throw error
      bad = middle
    }
  }
  return bad - 1
}
