import { defineMethod } from '../defineMethod.ts'
import { hashrateOfBlocks } from '../format/hashrate.ts'
import { RawJson } from '../json.ts'

/** Hashes per second behind the canonical blocks of the last hour, as a JSON number (rpc.md §3.2). */
export const netHashrate = defineMethod({
  name: 'eth_netHashrate',
  doc: 'Hashes per second of the network over the last hour.',
  params: [],
  result: { type: 'integer' },
  lane: 'read',
  cost: 20,
  cache: 'none',
  // Larger than what a JavaScript number holds exactly.
  handler: ({ chain }) => new RawJson(String(hashrateOfBlocks(chain, () => true))),
})
