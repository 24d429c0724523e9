import { defineMethod } from '../defineMethod.ts'
import { quantity } from '../format/quantity.ts'
import { Forward } from '../json.ts'

/** Hashes per second of the own miners: what they report, else what their blocks of the last hour took. */
export const hashrate = defineMethod({
  name: 'eth_hashrate',
  doc: 'Hashes per second of the own miners: as reported, else as their blocks of the last hour show.',
  params: [],
  result: { type: 'string', title: 'QUANTITY' },
  lane: 'inline',
  cost: 1,
  cache: 'none',
  handler: ({ commands }) => {
    const reported = commands.mining?.reportedHashrate() ?? 0n
    return reported > 0n ? quantity(reported) : new Forward('internal_minedHashrate', '[]')
  },
})
