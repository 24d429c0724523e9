import { defineMethod } from '../defineMethod.ts'
import { banAnswer } from '../guards/ban.ts'
import { plainText } from '../params/plainText.ts'

/** Lifts a ban. */
export const unbanAddress = defineMethod({
  name: 'sco_unbanAddress',
  doc: 'Lifts the ban of an IP address or of a block of them.',
  params: [plainText('address')],
  result: { type: 'null' },
  lane: 'inline',
  cost: 1,
  cache: 'none',
  handler: ({ peers }, [address]) => banAnswer(address, () => peers.unban(address)),
})
