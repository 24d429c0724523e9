import { defineMethod } from '../defineMethod.ts'
import { invalidParams } from '../errors.ts'
import { isJsonObject, optional, type Param } from '../params/param.ts'

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
    schema: { oneOf: [{ type: 'object' }, { type: 'null' }] },
    optional: false,
    parse: (value) => {
      if (value !== null && !isJsonObject(value)) throw invalidParams('Invalid options: an object expected')
      if (value !== null && (value['forking'] ?? null) !== null) {
        throw invalidParams('Invalid options: this node cannot fork another chain')
      }
      return null
    },
  }
}
