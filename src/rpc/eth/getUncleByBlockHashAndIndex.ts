import { defineMethod } from '../defineMethod.ts'
import { uncleAnswer } from '../format/uncleAnswer.ts'
import { hash } from '../params/hex.ts'
import { index } from '../params/number.ts'

/** An uncle by the hash of the block that names it; null when there is none. */
export const getUncleByBlockHashAndIndex = defineMethod({
  name: 'eth_getUncleByBlockHashAndIndex',
  doc: 'An uncle of a block by its hash.',
  params: [hash('blockHash', 'block hash'), index()],
  result: { title: 'block or null' },
  lane: 'read',
  cost: 2,
  cache: 'head',
  handler: (context, [blockHash, position]) =>
    uncleAnswer(context, context.chain.blockByHash(blockHash), position),
})
