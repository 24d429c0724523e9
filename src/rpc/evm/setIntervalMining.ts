import { LONGEST_BLOCK_TIME } from '../../config/options/production.ts'
import { defineMethod } from '../defineMethod.ts'
import { boundedNumber } from '../params/boundedNumber.ts'

/** Makes blocks in intervals, given in milliseconds as Hardhat defines it; 0 for none. */
export const setIntervalMining = defineMethod({
  name: 'evm_setIntervalMining',
  doc: 'Makes a block every so many milliseconds, with or without transactions; 0 for none.',
  params: [boundedNumber('milliseconds', LONGEST_BLOCK_TIME * 1000)],
  result: { type: 'boolean' },
  lane: 'chain',
  cost: 1,
  cache: 'none',
  audience: 'dev',
  handler: async ({ commands }, [milliseconds]) => {
    await commands.dev.setInterval(milliseconds === 0 ? null : milliseconds / 1000)
    return true
  },
})
