import { defineMethod } from '../defineMethod.ts'
import { hash } from '../params/hex.ts'
import { blockDetails } from './blockDetails.ts'

/** A block without its transactions, with their number and their fees; null when there is none. */
export const getBlockDetailsByHash = defineMethod({
  name: 'ots_getBlockDetailsByHash',
  doc: 'A block by its hash without its transactions, with their number and fees.',
  params: [hash('blockHash', 'block hash')],
  result: { title: 'details or null' },
  lane: 'read',
  cost: 5,
  cache: 'none',
  audience: 'dev',
  handler: (context, [blockHash]) => blockDetails(context, blockHash),
})
