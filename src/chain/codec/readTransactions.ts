import { readTransactionsAside, TRANSACTION_RECORD_BYTES } from '../../native/crypto.ts'
import { acceptsSignature, recoverSendersAside } from './signature.ts'
import { type SignedTransaction, Transaction } from './transaction.ts'
import { fieldsOf, parseTransaction } from './transactionDecoder.ts'

const SENDER_AT = 4
const HASH_AT = SENDER_AT + 20
const ELEMENTS_AT = HASH_AT + 32

/** A transaction as it was read: null where nobody signed it for the chain, an error for bytes that are none. */
export type ReadTransaction = SignedTransaction | null | Error

/**
 * Decodes signed transactions and recovers their senders, beside the thread: the core reads each of them once, and what
 * it leaves is decoded here.
 * @param encoded RLP of each; its memory is kept by the transactions
 * @param chainId of the chain whose blocks may have them
 * @returns one each; an error in place of all when none could be recovered
 */
export async function readTransactions(
  encoded: readonly Buffer[],
  chainId: number,
): Promise<ReadTransaction[]> {
  try {
    const records = await readTransactionsAside(encoded)
    const read = encoded.map((source, index) =>
      fromRecord(source, records.subarray(index * TRANSACTION_RECORD_BYTES), chainId),
    )
    const rest = read.filter((item) => item instanceof Transaction)
    const senders = (rest.length === 0 ? [] : await recoverSendersAside(rest)).values()
    return read.map((item) =>
      item instanceof Transaction ? signedBy(senders.next().value ?? null, item, chainId) : item,
    )
  } catch (error) {
    return encoded.map(() => toError(error))
  }
}

/** The transaction of a record; where the core left it, as it is decoded here, with its sender still to be recovered. */
function fromRecord(source: Buffer, record: Buffer, chainId: number): ReadTransaction | Transaction {
  try {
    const [kind] = record
    if (kind === 0) return parseTransaction(source)
    const fields = fieldsOf((index) => {
      const at = ELEMENTS_AT + index * 8
      return source.subarray(record.readUInt32LE(at), record.readUInt32LE(at + 4))
    })
    const transaction = new Transaction(fields, false, source)
    // The records of all would be kept with one of them.
    const kept = Buffer.from(record.subarray(SENDER_AT, ELEMENTS_AT))
    transaction.setAsRead(kept.subarray(HASH_AT - SENDER_AT))
    return signedBy(kind === 1 ? null : kept.subarray(0, HASH_AT - SENDER_AT), transaction, chainId)
  } catch (error) {
    return toError(error)
  }
}

function signedBy(
  sender: Buffer | null,
  transaction: Transaction,
  chainId: number,
): SignedTransaction | null {
  return sender !== null && acceptsSignature(transaction, chainId) ? { transaction, sender } : null
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}
