import type { Transaction } from '../../../src/chain/codec/transaction.ts'
import { quantity, quantityOfBytes } from '../../../src/rpc/format/quantity.ts'
import type { Json } from '../../../src/rpc/json.ts'
import { toHex } from '../../../src/util/bytes.ts'

/** Place of a mined transaction. */
export interface TransactionPosition {
  readonly blockHash: Buffer
  readonly blockNumber: number
  readonly index: number
}

/** Address that the reward transaction shows as its sender. */
export const NO_SENDER: Buffer = Buffer.alloc(20)

/** Transaction object (rpc.md §3.4); `place` is null while pending. */
export function formatTransaction(
  transaction: Transaction,
  sender: Buffer,
  place: TransactionPosition | null,
): { readonly [key: string]: Json } {
  const { fields, isRemasc } = transaction
  const { signature } = fields
  return {
    hash: toHex(transaction.hash),
    nonce: quantityOfBytes(fields.nonceBytes),
    blockHash: place === null ? null : toHex(place.blockHash),
    blockNumber: place === null ? null : quantity(place.blockNumber),
    transactionIndex: place === null ? null : quantity(place.index),
    from: toHex(isRemasc ? NO_SENDER : sender),
    to: transaction.isCreation ? null : toHex(fields.to),
    gas: quantityOfBytes(fields.gasLimitBytes),
    gasPrice: quantity(transaction.gasPrice),
    value: quantity(fields.value),
    input: toHex(fields.data),
    v: isRemasc ? '0x0' : quantity(transaction.encodedV),
    r: quantity(signature?.r ?? 0n),
    s: quantity(signature?.s ?? 0n),
    type: '0x0',
  }
}
