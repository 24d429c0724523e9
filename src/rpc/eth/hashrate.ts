import { defineMethod } from '../defineMethod.ts'
import { quantity } from '../shared/quantity.ts'

/** Hashes per second of the own miner. */
export const hashrate = defineMethod({
  name: 'eth_hashrate',
  doc: 'Hashes per second of the own miner.',
  params: [],
  result: { type: 'string', title: 'QUANTITY' },
  lane: 'inline',
  cost: 1,
  cache: 'head',
  handler: (context) => quantity(context.status().hashrate),
})
