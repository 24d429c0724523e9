import { type SignedTransaction, Transaction } from '../chain/codec/transaction.ts'
import { parseTransaction } from '../chain/codec/transactionDecoder.ts'

/** A transaction of the pool as it crosses threads, and as listeners have it. */
export interface EncodedTransaction {
  readonly hash: Buffer
  /** RLP, as it is hashed. */
  readonly encoded: Buffer
  /** 20 bytes. */
  readonly sender: Buffer
}

/** The encoded form of a transaction; its memory is that of the transaction. */
export function encodeTransaction({ transaction, sender }: SignedTransaction): EncodedTransaction {
  return { hash: transaction.hash, encoded: transaction.encoded, sender }
}

/** The transaction that {@link encodeTransaction} encoded; it is not encoded and hashed again. */
export function decodeTransaction({ hash, encoded, sender }: EncodedTransaction): SignedTransaction {
  const transaction = new Transaction(parseTransaction(encoded).fields, false, encoded)
  transaction.setAsRead(hash)
  return { transaction, sender }
}
