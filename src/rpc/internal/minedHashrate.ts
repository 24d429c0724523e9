import { defineMethod } from '../defineMethod.ts'
import { hashrateOfBlocks } from '../format/hashrate.ts'
import { quantity } from '../format/quantity.ts'

/** Hashes per second behind the own blocks of the last hour. */
export const minedHashrate = defineMethod({
  name: 'internal_minedHashrate',
  doc: 'Hashes per second behind the own blocks of the last hour.',
  params: [],
  result: { type: 'string', title: 'QUANTITY' },
  lane: 'read',
  cost: 0,
  cache: 'none',
  audience: 'internal',
  handler: (context) => {
    const { coinbase } = context.status()
    if (coinbase === null) return quantity(0n)
    return quantity(hashrateOfBlocks(context.chain, ({ fields }) => fields.coinbase.equals(coinbase)))
  },
})
