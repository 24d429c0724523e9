import type { Transaction } from '../../src/chain/codec/transaction.ts'
import { accountOfSeed, type TestAccount } from '../support/signedTransaction.ts'
import { transfer } from './tokenChain.ts'

/** Who sends what both branches hold, what only the old one holds, and one nonce of each branch's own. */
const [shared, lost, contested] = [accountOfSeed('cow1'), accountOfSeed('cow2'), accountOfSeed('cow3')]
/** Who sends what only the new one holds: unknown before, and waiting all the time. */
const [fresh, patient] = [accountOfSeed('cow4'), accountOfSeed('cow5')]

/** All senders of plans. */
export const SENDERS: readonly TestAccount[] = [shared, lost, contested, fresh, patient]

/** Whose transactions are in the old branch only. */
export const LOST = lost

/** Pays enough that the fees of the old branch's tip are not outdone at the same height (consensus.md §7). */
const DEAR = 10n

/** Two branches that compete: the new one is a block longer. */
export interface BranchPlan {
  readonly inBoth: Transaction
  readonly onlyOld: readonly Transaction[]
  /** Of one sender and nonce: what the old branch holds, and what the new one does. */
  readonly oldContender: Transaction
  readonly newContender: Transaction
  /** In the new branch, and nowhere before. */
  readonly onlyNew: readonly Transaction[]
  /** In the new branch, and pending while the old one is the chain. */
  readonly waiting: Transaction
  /** Transactions per block. */
  readonly oldBlocks: readonly (readonly Transaction[])[]
  readonly newBlocks: readonly (readonly Transaction[])[]
  /** Tokens that `LOST` gives away in the old branch. */
  readonly given: number
}

/**
 * Transfers of tokens, one log each, with different values.
 * @param nonces the next nonce of each sender
 */
export function planBranches(
  token: Buffer,
  depth: number,
  nonces: ReadonlyMap<TestAccount, number>,
): BranchPlan {
  const send = (from: TestAccount, offset: number, value: number, gasPrice = 1n) =>
    transfer(token, { from, nonce: (nonces.get(from) ?? 0) + offset, value, gasPrice })
  const values = Array.from({ length: depth }, (_, index) => 10 + index)
  const inBoth = send(shared, 0, 1)
  const onlyOld = values.map((value, index) => send(lost, index, value, DEAR))
  const oldContender = send(contested, 0, 2, DEAR)
  const newContender = send(contested, 0, 3)
  const onlyNew = values.map((value, index) => send(fresh, index, 20 + value))
  const waiting = send(patient, 0, 4)
  return {
    inBoth,
    onlyOld,
    oldContender,
    newContender,
    onlyNew,
    waiting,
    oldBlocks: onlyOld.map((one, index) => [
      ...(index === 0 ? [inBoth] : []),
      one,
      ...(index === depth - 1 ? [oldContender] : []),
    ]),
    // What both have stands elsewhere.
    newBlocks: [
      ...onlyNew.map((one, index) => (index === 0 ? [newContender, one] : [one])),
      [inBoth, waiting],
    ],
    given: values.reduce((sum, value) => sum + value, 0),
  }
}
