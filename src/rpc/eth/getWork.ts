import { toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'
import { headerMiningOf } from '../shared/mining.ts'

/** Work as `[header hash, seed hash, target]` (specification; design.md §4). */
export const getHeaderWork = defineMethod({
  name: 'eth_getWork',
  doc: 'Work for a miner of headers: header hash, seed hash and target.',
  params: [],
  result: { type: 'array' },
  lane: 'chain',
  cost: 2,
  cache: 'none',
  handler: async (context) => {
    const { headerHash, seedHash, target } = await headerMiningOf(context, 'eth_getWork').headerWork()
    return [toHex(headerHash), toHex(seedHash), toHex(target)]
  },
})
