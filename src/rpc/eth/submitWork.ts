import { defineMethod } from '../defineMethod.ts'
import { templateMiningOf } from '../guards/mining.ts'
import { fixedData } from '../params/fixedData.ts'

/** True when a solution of `eth_getWork` is valid and its block is in the node (`src/mining/README.md`). */
export const submitWork = defineMethod({
  name: 'eth_submitWork',
  doc: 'Submits a solution of eth_getWork; the mix digest is the seed hash of the work.',
  params: [fixedData('nonce', 8), fixedData('headerHash', 32), fixedData('mixDigest', 32)],
  result: { type: 'boolean' },
  lane: 'chain',
  cost: 20,
  cache: 'none',
  handler: async (context, [nonce, headerHash, mixDigest]) => {
    const mining = templateMiningOf(context, 'eth_submitWork')
    const outcome = await mining.submitTemplate({ nonce: nonce(), work: headerHash(), seed: mixDigest() })
    return outcome.status === 'imported' && outcome.word !== 'INVALID_BLOCK' && outcome.word !== 'NO_PARENT'
  },
})
