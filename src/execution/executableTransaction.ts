import { acceptsSignature, signatureRecord } from '../chain/codec/signature.ts'
import type { Transaction } from '../chain/codec/transaction.ts'
import type { ExecutableTransaction } from '../native/types.ts'
import { bigIntToBytes } from '../util/bytes.ts'

/** Pays to the key of whoever signed a transaction that sends it value (bridge.md §4.3). */
export const BRIDGE: Buffer = Buffer.from('0000000000000000000000000000000001000006', 'hex')

/**
 * A transaction in the form of the native core.
 * @param sender 20 bytes, or the reward sender's single byte
 * @returns null when its gas limit is absent or invalid (eight bytes with the top bit set): no block may
 *   contain it
 */
export function toExecutable(
  transaction: Transaction,
  sender: Buffer,
  chainId: number,
): ExecutableTransaction | null {
  const { fields } = transaction
  const gasLimit = transaction.executionGasLimit
  if (gasLimit === null) return null
  const signature = BRIDGE.equals(fields.to) ? signatureRecord(transaction) : null
  return {
    hash: transaction.hash,
    sender,
    nonce: fields.nonceBytes,
    gasPrice: bigIntToBytes(transaction.gasPrice),
    gasLimit,
    to: fields.to,
    value: bigIntToBytes(fields.value),
    data: fields.data,
    signatureAccepted: acceptsSignature(transaction, chainId),
    remasc: transaction.isRemasc,
    ...(signature === null ? {} : { signature }),
  }
}
