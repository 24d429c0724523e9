import {
  recoverAddresses,
  recoverAddressesAside,
  SIGNATURE_RECORD_BYTES,
  SIGNER_ANSWER_BYTES,
} from '../../native/crypto.ts'
import { bigIntToBytes, bigIntToFixedBytes, bigIntToSignedBytes } from '../../util/bytes.ts'
import { CURVE_ORDER, recoverWithoutS } from './signatureWithoutS.ts'
import type { Transaction } from './transaction.ts'

const HALF_CURVE_ORDER = CURVE_ORDER / 2n
const WORD = 32

/** Sender of every reward transaction: the single byte zero (consensus.md §5.3). */
export const REMASC_SENDER: Buffer = Buffer.from([0])

/** True when a block of the chain may contain the signature (consensus.md §5.2). */
export function acceptsSignature(transaction: Transaction, chainId: number): boolean {
  if (transaction.isRemasc) return true
  const { signature, chainId: signedChainId } = transaction.fields
  if (signature === null || (signature.v !== 27 && signature.v !== 28)) return false
  const { r, s } = signature
  if (r < 1n || s < 1n || r >= CURVE_ORDER || s >= HALF_CURVE_ORDER) return false
  return signedChainId === 0 || signedChainId === chainId
}

/**
 * Senders of transactions, recovered in one parallel native call. null where there is no signature or no key
 * can be recovered from it. The ranges of {@link acceptsSignature} are not checked.
 */
export function recoverSenders(transactions: readonly Transaction[]): (Buffer | null)[] {
  return readSenders(transactions, recoverAddresses(writeRecords(transactions)))
}

/** As {@link recoverSenders}, off this thread. */
export async function recoverSendersAside(transactions: readonly Transaction[]): Promise<(Buffer | null)[]> {
  return readSenders(transactions, await recoverAddressesAside(writeRecords(transactions)))
}

/** Signed hash and signature as one record of {@link recoverSenders}; null for the reward transaction. */
export function signatureRecord(transaction: Transaction): Buffer | null {
  if (transaction.isRemasc || transaction.fields.signature === null) return null
  const record = Buffer.alloc(SIGNATURE_RECORD_BYTES)
  writeRecord(record, 0, transaction)
  return record
}

function readSenders(transactions: readonly Transaction[], answers: Buffer): (Buffer | null)[] {
  return transactions.map((transaction, index) => {
    if (transaction.isRemasc) return REMASC_SENDER
    const { signature } = transaction.fields
    if (signature !== null && signature.s % CURVE_ORDER === 0n) {
      return recoverWithoutS(transaction.signingHash, signature.r)
    }
    const start = index * SIGNER_ANSWER_BYTES
    return answers[start] === 1 ? answers.subarray(start + 1, start + SIGNER_ANSWER_BYTES) : null
  })
}

/**
 * Whether the field lengths are those the block rule accepts; the sender is checked elsewhere (consensus.md
 * §4.2 rule 1).
 */
export function hasValidFieldLengths(transaction: Transaction): boolean {
  const { fields } = transaction
  if (fields.nonceBytes.length > WORD) return false
  if (fields.gasLimitBytes.length === 0 || fields.gasLimitBytes.length > WORD) return false
  if (bigIntToSignedBytes(transaction.gasPrice).length > WORD) return false
  if (bigIntToSignedBytes(fields.value).length > WORD) return false
  if (fields.signature === null) return true
  return fitsInWord(fields.signature.r) && fitsInWord(fields.signature.s)
}

function fitsInWord(value: bigint): boolean {
  return bigIntToBytes(value).length <= WORD
}

function writeRecords(transactions: readonly Transaction[]): Buffer {
  const records = Buffer.alloc(transactions.length * SIGNATURE_RECORD_BYTES)
  transactions.forEach((transaction, index) => {
    writeRecord(records, index * SIGNATURE_RECORD_BYTES, transaction)
  })
  return records
}

/** hash ∥ parity ∥ r ∥ s. All zeros, which recover no sender, where there is no signature. */
function writeRecord(into: Buffer, offset: number, transaction: Transaction): void {
  const { signature } = transaction.fields
  if (transaction.isRemasc || signature === null || !fitsInWord(signature.r)) return
  transaction.signingHash.copy(into, offset)
  into[offset + 32] = signature.v - 27
  bigIntToFixedBytes(signature.r, WORD).copy(into, offset + 33)
  bigIntToFixedBytes(signature.s % CURVE_ORDER, WORD).copy(into, offset + 65)
}
