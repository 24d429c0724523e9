import { defineMethod } from '../defineMethod.ts'
import { blockInterval, inSeconds } from '../params/blockInterval.ts'

/**
 * Makes blocks in intervals; 0 for none. The unit is Hardhat's, but anvil's where the node has its name, because
 * clients that are set to anvil send seconds under the same name.
 */
export const setIntervalMining = defineMethod({
  name: 'evm_setIntervalMining',
  doc: 'Makes a block every so many milliseconds (seconds where the node has the name of anvil), or at a random time of [least, most], with or without transactions; 0 for none.',
  params: [blockInterval('interval')],
  result: { type: 'boolean' },
  lane: 'chain',
  cost: 1,
  cache: 'none',
  audience: 'dev',
  handler: async ({ commands, node }, [interval]) => {
    await commands.dev.setInterval(inSeconds(interval, node.settings.intervalUnit))
    return true
  },
})
