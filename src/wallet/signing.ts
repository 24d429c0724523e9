import { Transaction, type TransactionFields } from '../chain/codec/transaction.ts'
import { keccak256 } from '../native/crypto.ts'
import { bytesToBigInt } from '../util/bytes.ts'
import type { Signer } from './interface.ts'

const MIN_V = 27

/** The fields of an unsigned transaction. */
export type UnsignedTransaction = Omit<TransactionFields, 'signature'>

/** Signs a transaction with the chain id of its fields (EIP-155). */
export function signTransaction(signer: Signer, fields: UnsignedTransaction): Transaction {
  const { r, s, parity } = signer.sign(new Transaction({ ...fields, signature: null }).signingHash)
  const signature = { v: MIN_V + parity, r: bytesToBigInt(r), s: bytesToBigInt(s) }
  return new Transaction({ ...fields, signature })
}

/** Signs a hash: r ∥ s ∥ v, 65 bytes, v 27 or 28. */
export function signHashAsBytes(signer: Signer, hash: Buffer): Buffer {
  const { r, s, parity } = signer.sign(hash)
  return Buffer.concat([r, s, Buffer.from([MIN_V + parity])])
}

/** Hash of a message of eth_sign: its bytes after a prefix that no transaction has (ERC-191 version 0x45). */
export function hashMessage(message: Buffer): Buffer {
  return keccak256(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${message.length}`), message]))
}
