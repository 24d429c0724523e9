import { bigIntToSignedBytes, toHex } from '../../util/bytes.ts'
import type { PooledTransaction } from '../context.ts'
import { defineMethod } from '../defineMethod.ts'
import { poolAnswer } from '../format/poolAnswer.ts'
import { quantity, quantityOfBytes } from '../format/quantity.ts'
import type { Json } from '../json.ts'

const NO_BLOCK = `0x${'00'.repeat(32)}`
const NO_RECEIVER = '0x00'

/** The pool with its transactions (rpc.md §3.11). */
export const content = defineMethod({
  name: 'txpool_content',
  doc: 'Transactions of the pool, by sender and nonce.',
  params: [],
  result: { type: 'object' },
  lane: 'read',
  cost: 20,
  cache: 'none',
  handler: ({ pool }) => poolAnswer(pool, format),
})

/** Price and value are the bytes of the number with its sign, not quantities. */
function format({ transaction, sender }: PooledTransaction): { readonly [key: string]: Json } {
  const { fields } = transaction
  return {
    blockHash: NO_BLOCK,
    blockNumber: null,
    transactionIndex: null,
    from: toHex(sender),
    gas: quantityOfBytes(fields.gasLimitBytes),
    gasPrice: toHex(bigIntToSignedBytes(transaction.gasPrice)),
    hash: toHex(transaction.hash),
    input: toHex(fields.data),
    nonce: quantity(transaction.nonce),
    to: transaction.isCreation ? NO_RECEIVER : toHex(fields.to),
    value: toHex(bigIntToSignedBytes(fields.value)),
  }
}
