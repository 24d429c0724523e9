import { defineMethod } from '../defineMethod.ts'
import { headerMiningOf } from '../shared/mining.ts'
import { fixedData } from '../shared/params/fixedData.ts'

/** Whether a solution of `eth_getWork` is valid. */
export const submitWork = defineMethod({
  name: 'eth_submitWork',
  doc: 'Submits a solution of eth_getWork.',
  params: [fixedData('nonce', 8), fixedData('headerHash', 32), fixedData('mixDigest', 32)],
  result: { type: 'boolean' },
  lane: 'chain',
  cost: 20,
  cache: 'none',
  handler: (context, [nonce, headerHash, mixDigest]) =>
    headerMiningOf(context, 'eth_submitWork').submitHeaderWork(nonce(), headerHash(), mixDigest()),
})
