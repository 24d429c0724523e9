import type { Block } from '../codec/block.ts'
import { REMASC_SENDER, recoverSenders } from '../codec/signature.ts'

/** Bytes per transaction: found 1 ∥ address 20. */
const RECORD_LENGTH = 21

/** Recovers the senders of many blocks in one parallel call. */
export function recoverSendersOfBlocks(blocks: readonly Block[]): void {
  const senders = recoverSenders(blocks.flatMap((block) => block.transactions))
  let next = 0
  for (const block of blocks) {
    block.setSenders(senders.slice(next, next + block.transactions.length))
    next += block.transactions.length
  }
}

/** Senders of a block as one byte string, for another thread. */
export function packSenders(block: Block): Buffer {
  const packed = Buffer.alloc(block.transactions.length * RECORD_LENGTH)
  block.senders.forEach((sender, index) => {
    if (sender === null || sender.length !== RECORD_LENGTH - 1) return
    packed[index * RECORD_LENGTH] = 1
    sender.copy(packed, index * RECORD_LENGTH + 1)
  })
  return packed
}

/** Sets the senders of a block from {@link packSenders}. */
export function unpackSenders(block: Block, packed: Buffer): void {
  block.setSenders(
    block.transactions.map((transaction, index) => {
      if (transaction.isRemasc) return REMASC_SENDER
      const start = index * RECORD_LENGTH
      return packed[start] === 1 ? packed.subarray(start + 1, start + RECORD_LENGTH) : null
    }),
  )
}
