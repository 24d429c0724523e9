import { defineMethod } from '../defineMethod.ts'
import { blockInterval, inSeconds } from '../params/blockInterval.ts'

/** As evm_setIntervalMining, in seconds as anvil defines it. */
export const setIntervalSeconds = defineMethod({
  name: 'anvil_setIntervalMining',
  doc: 'Makes a block every so many seconds, or at a random time of [least, most], with or without transactions; 0 for none.',
  params: [blockInterval('seconds')],
  result: { type: 'null' },
  lane: 'chain',
  cost: 1,
  cache: 'none',
  audience: 'dev',
  handler: async ({ commands }, [seconds]) => {
    await commands.dev.setInterval(inSeconds(seconds, 'seconds'))
    return null
  },
})
