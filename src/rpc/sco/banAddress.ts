import { defineMethod } from '../defineMethod.ts'
import { banAnswer } from '../guards/ban.ts'
import { plainText } from '../params/plainText.ts'

/** Bans an address or a block of addresses from connecting. */
export const banAddress = defineMethod({
  name: 'sco_banAddress',
  doc: 'Bans an IP address, or a block of them, from connecting.',
  params: [plainText('address')],
  result: { type: 'null' },
  lane: 'inline',
  cost: 1,
  cache: 'none',
  handler: ({ peers }, [address]) => banAnswer(address, () => peers.ban(address)),
})
