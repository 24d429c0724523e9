import { defineMethod } from '../defineMethod.ts'
import { boundedNumber } from '../params/boundedNumber.ts'

/** Sets the time of the next block, from which later ones go on. */
export const setNextBlockTimestamp = defineMethod({
  name: 'evm_setNextBlockTimestamp',
  aliases: ['anvil_setNextBlockTimestamp'],
  doc: 'Sets the time of the next block in seconds; later ones go on from there.',
  params: [boundedNumber('timestamp', Number.MAX_SAFE_INTEGER)],
  result: { type: 'null' },
  lane: 'chain',
  cost: 1,
  cache: 'none',
  audience: 'dev',
  handler: async ({ commands }, [timestamp]) => {
    await commands.dev.setNextBlockTimestamp(timestamp)
    return null
  },
})
