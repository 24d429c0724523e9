import type { Blockchain } from '../../chain/blockchain.ts'
import type { BlockHeader } from '../../chain/codec/header.ts'
import type { SignedTransaction } from '../../chain/codec/transaction.ts'

/** Transactions of a block of a head change with their senders; the reward transaction is left out. */
export function signedTransactionsOf(chain: Blockchain, header: BlockHeader): SignedTransaction[] {
  const block = chain.blockByHash(header.hash)
  if (block === null) throw new Error(`block ${header.hashHex} of a head change is missing`)
  return block.transactions.flatMap((transaction, index) => {
    const sender = block.senders[index]
    return transaction.isRemasc || !sender ? [] : [{ transaction, sender }]
  })
}
