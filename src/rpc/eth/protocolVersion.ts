import { defineMethod } from '../defineMethod.ts'
import { quantity } from '../format/quantity.ts'

/** Highest version of the wire protocol. */
export const protocolVersion = defineMethod({
  name: 'eth_protocolVersion',
  aliases: ['rsk_protocolVersion', 'ext_protocolVersion'],
  doc: 'Highest version of the wire protocol.',
  params: [],
  result: { type: 'string', title: 'QUANTITY' },
  lane: 'inline',
  cost: 1,
  cache: 'forever',
  handler: ({ node }) => quantity(node.protocolVersion),
})
