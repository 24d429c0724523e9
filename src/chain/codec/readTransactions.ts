import { readTransactionsAside, TRANSACTION_RECORD_BYTES } from '../../native/crypto.ts'
import { recoverSendersAside } from './signature.ts'
import { Transaction } from './transaction.ts'
import { fieldsOf, parseTransaction } from './transactionDecoder.ts'

const SENDER_AT = 4
const HASH_AT = SENDER_AT + 20
const ELEMENTS_AT = HASH_AT + 32

/** A transaction that was decoded, and who signed it. */
export interface RecoveredTransaction {
  readonly transaction: Transaction
  /** 20 bytes; null where the signature gives none. */
  readonly sender: Buffer | null
}

/**
 * Decodes signed transactions and recovers their senders, beside the thread: the core reads each of them once, and what
 * it leaves is decoded here.
 * @param encoded RLP of each; its memory is kept by the transactions
 * @returns one each: an error in place of what is no transaction, or of all when none could be recovered
 */
export async function readTransactions(
  encoded: readonly Buffer[],
): Promise<(RecoveredTransaction | Error)[]> {
  try {
    const records = await readTransactionsAside(encoded)
    const read = encoded.map((source, index) =>
      fromRecord(source, records.subarray(index * TRANSACTION_RECORD_BYTES)),
    )
    await recoverRest(read, records)
    return read
  } catch (error) {
    return encoded.map(() => toError(error))
  }
}

/** The transaction of a record; where the core left it, as it is decoded here, without a sender. */
function fromRecord(source: Buffer, record: Buffer): RecoveredTransaction | Error {
  try {
    const [kind] = record
    if (kind === 0) return { transaction: parseTransaction(source), sender: null }
    const fields = fieldsOf((index) => {
      const at = ELEMENTS_AT + index * 8
      return source.subarray(record.readUInt32LE(at), record.readUInt32LE(at + 4))
    })
    const transaction = new Transaction(fields, false, source)
    // The records of all would be kept with one of them.
    const kept = Buffer.from(record.subarray(SENDER_AT, ELEMENTS_AT))
    transaction.setAsRead(kept.subarray(HASH_AT - SENDER_AT))
    return { transaction, sender: kind === 1 ? null : kept.subarray(0, HASH_AT - SENDER_AT) }
  } catch (error) {
    return toError(error)
  }
}

/** Puts the senders in of transactions that were decoded here. */
async function recoverRest(read: (RecoveredTransaction | Error)[], records: Buffer): Promise<void> {
  const rest = read.flatMap((item, index) =>
    item instanceof Error || records[index * TRANSACTION_RECORD_BYTES] !== 0
      ? []
      : [{ transaction: item.transaction, index }],
  )
  if (rest.length === 0) return
  const senders = await recoverSendersAside(rest.map(({ transaction }) => transaction))
  for (const [place, { transaction, index }] of rest.entries()) {
    read[index] = { transaction, sender: senders[place] ?? null }
  }
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}
