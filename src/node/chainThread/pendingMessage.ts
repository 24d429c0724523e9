import type { EncodedTransaction } from '../../txpool/encodedTransaction.ts'
import { asBuffer } from '../../util/bytes.ts'

const HASH_LENGTH = 32
const SENDER_LENGTH = 20
const LENGTH_AT = HASH_LENGTH + SENDER_LENGTH
/** hash 32 ∥ sender 20 ∥ length of the RLP 4, then the RLP. */
const HEAD_LENGTH = LENGTH_AT + 4

/** Pending transactions as one piece of memory, which a message can hand over instead of copying many. */
export function packPending(transactions: readonly EncodedTransaction[]): Uint8Array<ArrayBuffer> {
  const length = transactions.reduce((sum, { encoded }) => sum + HEAD_LENGTH + encoded.length, 0)
  const bytes = new Uint8Array(length)
  const view = asBuffer(bytes)
  let at = 0
  for (const { hash, encoded, sender } of transactions) {
    view.set(hash, at)
    view.set(sender, at + HASH_LENGTH)
    view.writeUInt32LE(encoded.length, at + LENGTH_AT)
    view.set(encoded, at + HEAD_LENGTH)
    at += HEAD_LENGTH + encoded.length
  }
  return bytes
}

/** The transactions that {@link packPending} packed. */
export function unpackPending(packed: Uint8Array): EncodedTransaction[] {
  const bytes = asBuffer(packed)
  const transactions: EncodedTransaction[] = []
  for (let at = 0; at < bytes.length; ) {
    const start = at + HEAD_LENGTH
    const end = start + bytes.readUInt32LE(at + LENGTH_AT)
    transactions.push({
      hash: bytes.subarray(at, at + HASH_LENGTH),
      sender: bytes.subarray(at + HASH_LENGTH, at + HASH_LENGTH + SENDER_LENGTH),
      encoded: bytes.subarray(start, end),
    })
    at = end
  }
  return transactions
}
