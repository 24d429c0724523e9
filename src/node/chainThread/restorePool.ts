import type { OpenChain } from '../../execution/openChain.ts'
import type { PoolJournal } from '../../txpool/poolJournal.ts'
import { sideTransactions } from '../../txpool/sideTransactions.ts'
import type { TransactionPool } from '../../txpool/transactionPool.ts'

/**
 * Fills the pool with what was in it when the node stopped: that of its journal, and transactions of blocks that left
 * the chain shortly before.
 * @param depth heights above and below the head that are searched for these
 * @param now time of their arrival, milliseconds since 1970
 * @returns how many there are
 */
export function restorePool(
  { environment, chain }: Pick<OpenChain, 'environment' | 'chain'>,
  pool: TransactionPool,
  journal: PoolJournal,
  depth: number,
  now: number,
): number {
  const journaled = journal.load()
  const known = new Set(journaled.map(({ transaction }) => transaction.hashHex))
  const retracted = sideTransactions(environment, chain.reader, depth, now).filter(
    ({ transaction }) => !known.has(transaction.hashHex),
  )
  for (const transaction of pool.restore([...retracted, ...journaled])) journal.remove(transaction)
  for (const { transaction } of retracted) {
    const entry = pool.get(transaction.hashHex)
    if (entry !== undefined) journal.keep(entry)
  }
  return pool.pendingCount + pool.queuedCount
}
