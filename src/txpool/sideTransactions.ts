import type { ChainStoreReader } from '../chain/chainStoreReader.ts'
import { readHeight } from '../chain/tables/heights.ts'
import type { ChainEnvironment } from '../storage/chainEnvironment.ts'
import type { ArrivedTransaction } from './interface.ts'

/**
 * Transactions of recent side blocks that the canonical chain does not contain. A reorganisation returns them
 * to the pool; when the process ended in between, they are found here.
 * @param depth heights below and above the head that are searched
 * @param now time of their arrival, milliseconds since 1970; that of their block is its height
 */
export function sideTransactions(
  environment: ChainEnvironment,
  reader: ChainStoreReader,
  depth: number,
  now: number,
): ArrivedTransaction[] {
  const found = new Map<string, ArrivedTransaction>()
  const head = reader.head().number
  for (let height = Math.max(1, head - depth); height <= head + depth; height += 1) {
    for (const { hash, canonical } of readHeight(environment, height)) {
      const block = canonical ? null : reader.blockByHash(hash)
      block?.transactions.forEach((transaction, index) => {
        const sender = block.senders[index]
        if (transaction.isRemasc || !sender || reader.locateTransaction(transaction.hash) !== null) return
        found.set(transaction.hashHex, { transaction, sender, addedAtBlock: height, addedAt: now })
      })
    }
  }
  return [...found.values()]
}
