import { defineMethod } from '../defineMethod.ts'
import { quantity } from '../format/quantity.ts'
import { boundedNumber } from '../params/boundedNumber.ts'

/** Sets the clock of the chain, which goes on from there; answers with the seconds that it was moved, as anvil does. */
export const setTime = defineMethod({
  name: 'evm_setTime',
  aliases: ['anvil_setTime'],
  doc: 'Sets the clock of the chain, in seconds since 1970; answers with the seconds between that and the time of the machine.',
  params: [boundedNumber('timestamp', Number.MAX_SAFE_INTEGER)],
  result: { type: 'string', title: 'QUANTITY' },
  lane: 'chain',
  cost: 1,
  cache: 'none',
  audience: 'dev',
  handler: async ({ commands }, [timestamp]) => {
    await commands.dev.setNextBlockTimestamp(timestamp)
    return quantity(Math.max(0, timestamp - Math.floor(Date.now() / 1000)))
  },
})
