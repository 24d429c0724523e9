import { defineMethod } from '../defineMethod.ts'
import { boundedNumber } from '../params/boundedNumber.ts'
import { MAX_BLOCKS } from '../params/mineTarget.ts'
import { optional } from '../params/param.ts'

/** Longest time between two blocks, seconds: a year. */
const MAX_INTERVAL_SECONDS = 31_536_000

/** Mines some blocks with a time between them. */
export const mineBlocks = defineMethod({
  name: 'hardhat_mine',
  aliases: ['anvil_mine'],
  doc: 'Mines some blocks, with a number of seconds from each to the next.',
  params: [
    optional(boundedNumber('blocks', MAX_BLOCKS), 1),
    optional(boundedNumber('interval', MAX_INTERVAL_SECONDS), null),
  ],
  result: { type: 'boolean' },
  lane: 'chain',
  cost: 100,
  cache: 'none',
  audience: 'dev',
  handler: async ({ commands, front }, [count, interval]) => {
    if (count === 0) return true
    await commands.mine({ count, ...(interval === null ? {} : { interval }) }, front?.signal?.())
    return true
  },
})
