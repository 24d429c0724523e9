import { defineMethod } from '../defineMethod.ts'

/** The banned addresses: single ones, then blocks. */
export const bannedAddresses = defineMethod({
  name: 'sco_bannedAddresses',
  doc: 'Banned IP addresses and blocks of them.',
  params: [],
  result: { type: 'array' },
  lane: 'inline',
  cost: 1,
  cache: 'none',
  handler: ({ peers }) => peers.bans(),
})
