import { LONGEST_BLOCK_TIME } from '../../config/options/production.ts'
import { defineMethod } from '../defineMethod.ts'
import { boundedNumber } from '../params/boundedNumber.ts'

/** As evm_setIntervalMining, in seconds as anvil defines it. */
export const setIntervalSeconds = defineMethod({
  name: 'anvil_setIntervalMining',
  doc: 'Makes a block every so many seconds, with or without transactions; 0 for none.',
  params: [boundedNumber('seconds', LONGEST_BLOCK_TIME)],
  result: { type: 'null' },
  lane: 'chain',
  cost: 1,
  cache: 'none',
  audience: 'dev',
  handler: async ({ commands }, [seconds]) => {
    await commands.dev.setInterval(seconds === 0 ? null : seconds)
    return null
  },
})
