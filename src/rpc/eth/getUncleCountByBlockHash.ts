import { defineMethod } from '../defineMethod.ts'
import { quantity } from '../format/quantity.ts'
import { hash } from '../params/hex.ts'

/** Number of uncles of a block by its hash; null when it is unknown. */
export const getUncleCountByBlockHash = defineMethod({
  name: 'eth_getUncleCountByBlockHash',
  doc: 'Number of uncles of a block by its hash.',
  params: [hash('blockHash', 'block hash')],
  result: { title: 'QUANTITY or null' },
  lane: 'read',
  cost: 1,
  cache: 'head',
  handler: ({ chain }, [blockHash]) => {
    const block = chain.blockByHash(blockHash)
    return block === null ? null : quantity(block.uncles.length)
  },
})
