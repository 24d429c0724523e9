import { readRlpItems } from '../../chain/codec/rlpReader.ts'
import { encodeStrings } from '../../chain/codec/rlpWriter.ts'
import { FleetError } from '../errors.ts'

/** Largest batch, bytes: a transaction that is larger goes by p2p. */
const MAX_BATCH_BYTES = 256 * 1024
/** Transactions of a batch. */
const MAX_BATCH_TRANSACTIONS = 1024
/** Bytes that a batch takes beside its transactions: lengths, id, number. */
const OVERHEAD = 32 + 5 * MAX_BATCH_TRANSACTIONS
const ID_LENGTH = 8
const NUMBER_LENGTH = 4

/** Transactions as a member announces them, and the number under which they are confirmed: by a batch without any. */
export interface Batch {
  /** Id of the member. */
  readonly from: string
  readonly number: number
  readonly transactions: readonly Buffer[]
}

/** A list of RLP: id, number, transactions. */
export function encodeBatch({ from, number, transactions }: Batch): Buffer {
  return encodeStrings([Buffer.from(from, 'hex'), number, ...transactions])
}

/** @throws FleetError `Malformed`, RlpError */
export function decodeBatch(bytes: Buffer): Batch {
  if (bytes.length > MAX_BATCH_BYTES + OVERHEAD) throw new FleetError('Malformed', 'a batch is too large')
  const [items] = readRlpItems(bytes, 1)
  const [from, number, ...transactions] = (items?.itemsUpTo(2 + MAX_BATCH_TRANSACTIONS) ?? []).map(
    (item) => item.bytes,
  )
  if (from?.length !== ID_LENGTH || number === undefined || number.length > NUMBER_LENGTH)
    throw new FleetError('Malformed', 'no batch of transactions')
  return { from: from.toString('hex'), number: Number(`0x0${number.toString('hex')}`), transactions }
}

/** Transactions in batches, those left out that are too large. */
export function batchesOf(transactions: readonly Buffer[]): readonly (readonly Buffer[])[] {
  const batches: Buffer[][] = []
  let bytes = 0
  for (const transaction of transactions) {
    if (transaction.length > MAX_BATCH_BYTES) continue
    const last = batches.at(-1)
    bytes += transaction.length
    if (last !== undefined && last.length < MAX_BATCH_TRANSACTIONS && bytes <= MAX_BATCH_BYTES)
      last.push(transaction)
    else {
      batches.push([transaction])
      bytes = transaction.length
    }
  }
  return batches
}
