import { seedHashOfTime } from '../../mining/seedHash.ts'
import { toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'
import { templateMiningOf } from '../guards/mining.ts'

/**
 * Work as `[hash, seed hash, target]`, which a miner solves on the template of `src/mining/README.md`
 * (specification.md Methods with full shape; decisions.md D41).
 */
export const getTemplateWork = defineMethod({
  name: 'eth_getWork',
  doc: 'Work for a miner without a pool: hash for merged mining, seed hash and target.',
  params: [],
  result: { type: 'array' },
  lane: 'chain',
  cost: 2,
  cache: 'none',
  handler: async (context) => {
    const work = await templateMiningOf(context, 'eth_getWork').work()
    return [toHex(work.hashForMergedMining), toHex(seedHashOfTime(work.timestamp)), toHex(work.target)]
  },
})
