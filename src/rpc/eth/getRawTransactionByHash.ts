import { defineMethod } from '../defineMethod.ts'
import { rawTransactionAnswer } from '../format/rawTransactionAnswer.ts'
import { hash } from '../params/hex.ts'

/** RLP of a canonical or pooled transaction; null when it is unknown (decisions.md D50). */
export const getRawTransactionByHash = defineMethod({
  name: 'eth_getRawTransactionByHash',
  doc: 'RLP of a transaction by its hash, also of one in the pool.',
  params: [hash('transactionHash', 'transaction hash')],
  result: { title: 'RLP as hex, or null' },
  lane: 'read',
  cost: 2,
  cache: 'none',
  handler: (context, [transactionHash]) => rawTransactionAnswer(context, transactionHash),
})
