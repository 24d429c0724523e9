import { toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'

/** Address that is paid for mined blocks; zero without a miner. */
export const coinbase = defineMethod({
  name: 'eth_coinbase',
  doc: 'Address that is paid for mined blocks; zero without a miner.',
  params: [],
  result: { type: 'string' },
  lane: 'inline',
  cost: 1,
  cache: 'head',
  handler: (context) => toHex(context.status().coinbase ?? Buffer.alloc(20)),
})
