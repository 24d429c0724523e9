import type { SignedTransaction } from '../chain/codec/transaction.ts'
import type { NativeBlockExecution } from '../native/blockExecution.ts'
import { isNeverGiven } from '../native/errors.ts'

/** A transaction that reads what the network of a fork never gives, and the sentence that says what that is. */
export interface Unreadable {
  readonly signed: SignedTransaction
  readonly reason: string
}

/** An execution of those of some transactions that could be executed. */
export interface ReadableExecution {
  readonly execution: NativeBlockExecution
  readonly kept: readonly SignedTransaction[]
  /** Those that read, behind the kept ones, what the network of a fork never gives. */
  readonly unreadable: readonly Unreadable[]
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
  const unreadable: Unreadable[] = []
  let kept = candidates
  for (;;) {
    try {
      return { execution: run(kept), kept, unreadable }
    } catch (error) {
      if (!isNeverGiven(error) || kept.length === 0) throw error
      const { at, reason } = firstUnreadable(run, kept, error.message)
      const signed = kept[at]
      if (signed !== undefined) unreadable.push({ signed, reason })
      kept = kept.filter((_, index) => index !== at)
    }
  }
}

/** Index of the candidate with which an execution of the first ones fails, and why; `reason` is that of all of them. */
function firstUnreadable(
  run: (candidates: readonly SignedTransaction[]) => NativeBlockExecution,
  candidates: readonly SignedTransaction[],
  reason: string,
): { at: number; reason: string } {
  // So many of the first ones can be executed, and so many cannot.
  let good = 0
  let bad = candidates.length
  let why = reason
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    try {
      run(candidates.slice(0, middle))
      good = middle
    } catch (error) {
      if (!isNeverGiven(error)) throw error
      bad = middle
      why = error.message
    }
  }
  return { at: bad - 1, reason: why }
}
