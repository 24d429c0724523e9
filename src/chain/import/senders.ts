import type { Block } from '../codec/block.ts'
import { REMASC_SENDER, recoverSenders } from '../codec/signature.ts'

const ADDRESS_LENGTH = 20
const HASH_LENGTH = 32
/** Offset of the hash in a record: sender found 1 ∥ address 20 ∥ encoding as read 1 ∥ hash 32. */
const HASH_START = 1 + ADDRESS_LENGTH + 1
const RECORD_LENGTH = HASH_START + HASH_LENGTH

/** Recovers the senders of many blocks in one parallel call. */
export function recoverSendersOfBlocks(blocks: readonly Block[]): void {
  const senders = recoverSenders(blocks.flatMap((block) => block.transactions))
  let next = 0
  for (const block of blocks) {
    block.setSenders(senders.slice(next, next + block.transactions.length))
    next += block.transactions.length
  }
}

/**
 * What was found of the transactions of a block as one byte string, for another thread that decodes the same bytes:
 * their senders, and their hashes where encoding them gives what they were read from.
 */
export function packSenders(block: Block): Buffer {
  const packed = Buffer.alloc(block.transactions.length * RECORD_LENGTH)
  block.senders.forEach((sender, index) => {
    const start = index * RECORD_LENGTH
    if (sender?.length === ADDRESS_LENGTH) {
      packed[start] = 1
      sender.copy(packed, start + 1)
    }
    const transaction = block.transactions[index]
    if (transaction?.isAsRead !== true) return
    packed[start + HASH_START - 1] = 1
    transaction.hash.copy(packed, start + HASH_START)
  })
  return packed
}

/** Sets the senders of a block from {@link packSenders}. */
export function unpackSenders(block: Block, packed: Buffer): void {
  block.setSenders(
    block.transactions.map((transaction, index) => {
      const start = index * RECORD_LENGTH
      const hashStart = start + HASH_START
      if (packed[hashStart - 1] === 1)
        transaction.setAsRead(packed.subarray(hashStart, hashStart + HASH_LENGTH))
      if (transaction.isRemasc) return REMASC_SENDER
      return packed[start] === 1 ? packed.subarray(start + 1, start + 1 + ADDRESS_LENGTH) : null
    }),
  )
}
