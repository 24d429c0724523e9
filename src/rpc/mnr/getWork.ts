import { toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'
import { miningOf } from '../shared/mining.ts'

/** The newest block to be mined (facts/mining.md §2). */
export const getWork = defineMethod({
  name: 'mnr_getWork',
  doc: 'The newest work for merged mining.',
  params: [],
  result: { type: 'object' },
  lane: 'chain',
  cost: 2,
  cache: 'none',
  handler: async (context) => {
    const { hashForMergedMining, target, fees, notify, parentHash } = await miningOf(context).work()
    return {
      blockHashForMergedMining: toHex(hashForMergedMining),
      target: toHex(target),
      feesPaidToMiner: fees.toString(),
      notify,
      parentBlockHash: toHex(parentHash),
    }
  },
})
