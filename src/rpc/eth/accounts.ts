import { toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'

/** Addresses that the node holds a key for; none on a hosted endpoint and without a wallet. */
export const accounts = defineMethod({
  name: 'eth_accounts',
  aliases: ['eth_requestAccounts'],
  doc: 'Addresses that the node holds a key for.',
  params: [],
  result: { type: 'array' },
  lane: 'inline',
  cost: 1,
  cache: 'none',
  handler: ({ node, wallet }) => (node.settings.hosted ? [] : (wallet?.addresses() ?? []).map(toHex)),
})
