import { defineMethod } from '../defineMethod.ts'
import { RawJson } from '../json.ts'

/** Time over which difficulty is summed up, seconds. */
const PERIOD = 3600

/** Hashes per second behind the canonical blocks of the last hour, as a JSON number (facts/rpc.md §3.2). */
export const netHashrate = defineMethod({
  name: 'eth_netHashrate',
  doc: 'Hashes per second of the network over the last hour.',
  params: [],
  result: { type: 'integer' },
  lane: 'read',
  cost: 20,
  cache: 'none',
  handler: ({ chain }) => {
    const start = Math.floor(Date.now() / 1000) - PERIOD
    let sum = 0n
    let header = chain.head()
    while (header.fields.timestamp >= start && header.number > 0) {
      sum += header.difficulty
      const parent = chain.headerByHash(header.parentHash)
      if (parent === null) break
      header = parent
    }
    // Larger than what a JavaScript number holds exactly.
    return new RawJson(String(sum / BigInt(PERIOD)))
  },
})
