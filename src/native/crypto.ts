import { addon } from './addon.ts'
import { native } from './errors.ts'

/** Bytes of one record of {@link recoverAddresses}: hash 32 ∥ parity 1 ∥ r 32 ∥ s 32. */
export const SIGNATURE_RECORD_BYTES = 97

/** Bytes of one answer of {@link recoverAddresses}: found 1 ∥ address 20. */
export const SIGNER_ANSWER_BYTES = 21

/** Keccak-256 of the bytes: 32 bytes. */
export function keccak256(bytes: Uint8Array): Buffer {
  return addon.keccak256(bytes)
}

/** Keccak-256 of each item, in one call: 32 bytes per item. */
export function keccak256Batch(items: readonly Uint8Array[]): Buffer {
  const ends = endsOf(items)
  return addon.keccak256Batch(Buffer.concat(items, ends.at(-1) ?? 0), ends)
}

/** Ends of the items when they follow one another. */
function endsOf(items: readonly Uint8Array[]): Uint32Array {
  const ends = new Uint32Array(items.length)
  let end = 0
  for (let i = 0; i < items.length; i++) {
    end += items[i]?.length ?? 0
    ends[i] = end
  }
  return ends
}

/** Bytes of one record of {@link readTransactionsAside}. */
export const TRANSACTION_RECORD_BYTES = 128

/**
 * Reads signed transactions, hashes them and recovers their senders, on all cores and beside JavaScript.
 * @returns n × {@link TRANSACTION_RECORD_BYTES}: kind 1 (0 not read, 1 without a sender, 2 with one) ∥ unused 3 ∥ sender 20
 *   ∥ hash 32 ∥ nine times where an element begins and ends in the transaction, 4 little-endian. One that is not encoded
 *   as the network encodes it is not read.
 */
export async function readTransactionsAside(transactions: readonly Uint8Array[]): Promise<Buffer> {
  const ends = endsOf(transactions)
  return addon.readTransactionsAside(Buffer.concat(transactions, ends.at(-1) ?? 0), ends)
}

/** Two rounds of SHA-256, as Bitcoin hashes: 32 bytes in internal order. */
export function sha256d(bytes: Uint8Array): Buffer {
  return addon.sha256d(bytes)
}

/**
 * Signers of n signatures, recovered on all cores.
 * In: n × {@link SIGNATURE_RECORD_BYTES}. Out: n × {@link SIGNER_ANSWER_BYTES}; zeros where nothing is
 * recovered. The ranges that a transaction's signature must keep are not checked (consensus.md §5.2).
 */
export function recoverAddresses(records: Uint8Array): Buffer {
  return native(() => addon.recoverAddresses(records))
}

/** As {@link recoverAddresses}, beside JavaScript. */
export async function recoverAddressesAside(records: Uint8Array): Promise<Buffer> {
  return addon.recoverAddressesAside(records)
}

/** Signs a 32-byte hash with a 32-byte key (RFC 6979, low s). */
export function signHash(hash: Uint8Array, privateKey: Uint8Array): { r: Buffer; s: Buffer; parity: 0 | 1 } {
  const signature = native(() => addon.signHash(hash, privateKey))
  return { r: signature.subarray(0, 32), s: signature.subarray(32, 64), parity: signature[64] === 1 ? 1 : 0 }
}

/** Public key x ∥ y (64 bytes) of a 32-byte private key. */
export function publicKeyOf(privateKey: Uint8Array): Buffer {
  return native(() => addon.publicKey(privateKey))
}

/** Address (20 bytes) of a 32-byte private key. */
export function addressOfPrivateKey(privateKey: Uint8Array): Buffer {
  return native(() => addon.addressOfPrivateKey(privateKey))
}
