import { defineMethod } from '../defineMethod.ts'
import { transactionAnswer } from '../format/transactionAnswer.ts'
import { hash } from '../params/hex.ts'
import { index } from '../params/number.ts'

/** A transaction by the hash of its block and its position; null when there is none. */
export const getTransactionByBlockHashAndIndex = defineMethod({
  name: 'eth_getTransactionByBlockHashAndIndex',
  doc: 'A transaction by the hash of its block and its position.',
  params: [hash('blockHash', 'block hash'), index()],
  result: { title: 'transaction or null' },
  lane: 'read',
  cost: 1,
  cache: 'head',
  handler: (context, [blockHash, position]) => transactionAnswer(context, blockHash, position),
})
