import { defineMethod } from '../defineMethod.ts'
import { boundedNumber } from '../params/boundedNumber.ts'

/** Longest time between two blocks, seconds: a year. */
const MAX_INTERVAL_SECONDS = 31_536_000

/** Gives each block a time so many seconds after its parent, whatever the machine shows. */
export const setBlockTimestampInterval = defineMethod({
  name: 'anvil_setBlockTimestampInterval',
  aliases: ['hardhat_setBlockTimestampInterval'],
  doc: 'Gives each block a time so many seconds after its parent, whatever the machine shows.',
  params: [boundedNumber('seconds', MAX_INTERVAL_SECONDS)],
  result: { type: 'null' },
  lane: 'chain',
  cost: 1,
  cache: 'none',
  audience: 'dev',
  handler: async ({ commands }, [seconds]) => {
    await commands.dev.setTimestampInterval(seconds)
    return null
  },
})
