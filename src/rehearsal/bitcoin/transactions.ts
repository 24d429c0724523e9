import { Transaction } from 'bitcoinjs-lib'

/** Reference to an output: transaction id in display order, index of the output. */
export interface OutPoint {
  readonly id: string
  readonly index: number
}

/** An unspent output. */
export interface Coin extends OutPoint {
  readonly script: Buffer
  /** Satoshi. */
  readonly value: bigint
}

/** A hash in reversed byte order. */
export function reversed(hash: Uint8Array): Buffer {
  return Buffer.from(hash).reverse()
}

/** The output that an input spends. */
export function outPointOf({ hash, index }: { readonly hash: Uint8Array; readonly index: number }): OutPoint {
  return { id: reversed(hash).toString('hex'), index }
}

/** A transaction of version 2 that spends coins; its inputs are not signed. */
export function unsignedTransaction(
  coins: readonly OutPoint[],
  outputs: readonly { readonly script: Uint8Array; readonly value: bigint }[],
): Transaction {
  const transaction = new Transaction()
  transaction.version = 2
  for (const { id, index } of coins) transaction.addInput(reversed(Buffer.from(id, 'hex')), index)
  for (const { script, value } of outputs) transaction.addOutput(script, value)
  return transaction
}

/** Serialised as before segregated witness. */
export function withoutWitness(transaction: Transaction): Buffer {
  const copy = transaction.clone()
  copy.stripWitnesses()
  return Buffer.from(copy.toBuffer())
}
