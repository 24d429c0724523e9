import { defineMethod, type MethodDefinition } from '../defineMethod.ts'

/** How Ganache switches blocks for transactions on and off; viem calls them where it is set to that node. */
export const MINER_SWITCH: readonly MethodDefinition[] = [
  minerSwitch('miner_start', true, 'Makes a block for every transaction, at once.'),
  minerSwitch('miner_stop', false, 'Makes no blocks for transactions any more.'),
]

function minerSwitch(name: string, on: boolean, doc: string): MethodDefinition {
  return defineMethod({
    name,
    doc,
    params: [],
    result: { type: 'boolean' },
    lane: 'chain',
    cost: 1,
    cache: 'none',
    audience: 'dev',
    handler: async ({ commands }) => {
      await commands.dev.setAutomine(on)
      return true
    },
  })
}
