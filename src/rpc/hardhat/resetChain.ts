import { defineMethod } from '../defineMethod.ts'
import { invalidParams } from '../errors.ts'
import { isGiven, isJsonObject, optional, type Param } from '../params/param.ts'

/** Goes back to genesis; snapshots, the pool and impersonated accounts are gone. Forks of other chains are refused. */
export const resetChain = defineMethod({
  name: 'hardhat_reset',
  aliases: ['anvil_reset'],
  doc: 'Goes back to genesis; snapshots, the pool and impersonated accounts are gone. Forks of other chains are refused.',
  params: [optional(resetTarget(), null)],
  result: { type: 'boolean' },
  lane: 'chain',
  cost: 20,
  cache: 'none',
  audience: 'dev',
  handler: async ({ commands, impersonated }) => {
    await commands.dev.reset()
    impersonated.clear()
    return true
  },
})

/** Hardhat's and anvil's description of what to begin with; without a fork that is genesis. */
function resetTarget(): Param<null> {
  return {
    name: 'options',
    schema: { type: 'object', properties: { forking: { type: 'object' } } },
    optional: false,
    parse: (value) => {
      if (!isJsonObject(value)) throw invalidParams('Invalid options: an object expected')
      if (isGiven(value['forking'])) {
        throw invalidParams('Invalid options: this node cannot fork another chain')
      }
      return null
    },
  }
}
