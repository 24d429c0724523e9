import { bigIntToFixedBytes, bytesToBigInt } from '../../util/bytes.ts'
import type { Block } from './block.ts'
import type { Transaction, TransactionSignature } from './transaction.ts'

const MIN_V = 27
const ADDRESS_BYTES = 20
const ADDRESSES = 1n << 160n

/**
 * Placeholder for `r` where nobody signed: the text `impersonated by a development chain`, cut to 32 bytes.
 */
const UNSIGNED = bytesToBigInt(Buffer.from('impersonated by a development ch', 'latin1'))

/**
 * Placeholder for the signature of a transaction whose sender a development chain impersonates. No key
 * produces it: other nodes reject a block with such a transaction.
 */
export function impersonatedSignature(sender: Buffer): TransactionSignature {
  return { v: MIN_V, r: UNSIGNED, s: bytesToBigInt(sender) }
}

/** The sender encoded in place of the signature, 20 bytes; null for a signed transaction. */
export function impersonatedSender({ fields }: Transaction): Buffer | null {
  const { signature } = fields
  if (signature === null || signature.r !== UNSIGNED || signature.s >= ADDRESSES) return null
  return bigIntToFixedBytes(signature.s, ADDRESS_BYTES)
}

/** True when a block holds a transaction that nobody signed. */
export function holdsUnsigned(block: Block): boolean {
  return block.transactions.some((transaction, index) => {
    const sender = impersonatedSender(transaction)
    // Senders of a block may have to be recovered.
    return sender !== null && block.senders[index]?.equals(sender) === true
  })
}
