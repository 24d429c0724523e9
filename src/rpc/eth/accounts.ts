import { toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'

/** Addresses that the node holds a key for. */
export const accounts = defineMethod({
  name: 'eth_accounts',
  doc: 'Addresses that the node holds a key for.',
  params: [],
  result: { type: 'array' },
  lane: 'inline',
  cost: 1,
  cache: 'head',
  handler: (context) => (context.node.settings.hosted ? [] : context.status().accounts.map(toHex)),
})
