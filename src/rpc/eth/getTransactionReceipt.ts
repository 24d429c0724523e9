import { defineMethod } from '../defineMethod.ts'
import { minedAnswer } from '../format/minedAnswer.ts'
import { hash } from '../params/hex.ts'

/** Receipt of a transaction of the canonical chain; null when there is none. */
export const getTransactionReceipt = defineMethod({
  name: 'eth_getTransactionReceipt',
  doc: 'Receipt of a mined transaction.',
  params: [hash('transactionHash', 'transaction hash')],
  result: { title: 'receipt or null' },
  lane: 'read',
  cost: 2,
  cache: 'head',
  fast: 'receipt',
  handler: (context, [transactionHash]) => minedAnswer(context, 'receipt', transactionHash),
})
