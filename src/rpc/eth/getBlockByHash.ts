import { defineMethod } from '../defineMethod.ts'
import { blockAnswer } from '../format/blockAnswer.ts'
import { hash } from '../params/hex.ts'
import { flag } from '../params/number.ts'
import { optional } from '../params/param.ts'

/** A block, canonical or not, by its hash; null when it is unknown. */
export const getBlockByHash = defineMethod({
  name: 'eth_getBlockByHash',
  doc: 'A block by its hash.',
  params: [hash('blockHash', 'block hash'), optional(flag('fullTransactions'), false)],
  result: { title: 'block or null' },
  lane: 'read',
  cost: 3,
  cache: 'head',
  fast: 'blockByHash',
  handler: (context, [blockHash, full]) => blockAnswer(context, blockHash, full),
})
