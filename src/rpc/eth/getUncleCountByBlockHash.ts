import { defineMethod } from '../defineMethod.ts'
import { RpcError } from '../errors.ts'
import { quantity } from '../format/quantity.ts'
import { hash } from '../params/hex.ts'

/** Number of uncles of a block by its hash. */
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
    if (block === null)
      throw new RpcError('notFound', `Block with hash ${blockHash.toString('hex')} not found`)
    return quantity(block.uncles.length)
  },
})
