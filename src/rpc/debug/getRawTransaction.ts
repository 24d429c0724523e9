import { defineMethod } from '../defineMethod.ts'
import { rawTransactionAnswer } from '../format/rawTransactionAnswer.ts'
import { hash } from '../params/hex.ts'

/** RLP of a canonical or pooled transaction; null when it is unknown. */
export const getRawTransaction = defineMethod({
  name: 'debug_getRawTransaction',
  doc: 'RLP of a signed transaction, also of one in the pool.',
  params: [hash('transactionHash', 'transaction hash')],
  result: { title: 'RLP as hex, or null' },
  lane: 'read',
  cost: 2,
  cache: 'none',
  handler: (context, [transactionHash]) => rawTransactionAnswer(context, transactionHash),
})
