import { bytesToBigInt } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'
import { templateMiningOf } from '../guards/mining.ts'
import { fixedData } from '../params/fixedData.ts'

/** Records the hash rate of a miner, which eth_hashrate adds up for a minute. */
export const submitHashrate = defineMethod({
  name: 'eth_submitHashrate',
  doc: 'Tells the node the hash rate of a miner.',
  params: [fixedData('hashrate', 32), fixedData('clientId', 32)],
  result: { type: 'boolean' },
  lane: 'chain',
  cost: 1,
  cache: 'none',
  handler: (context, [rate, miner]) =>
    templateMiningOf(context, 'eth_submitHashrate').reportHashrate(bytesToBigInt(rate()), miner()),
})
