import type { NodeContext } from '../context.ts'
import { defineMethod } from '../defineMethod.ts'
import { invalidParams } from '../errors.ts'
import { isGiven, isJsonObject, optional, type Param } from '../params/param.ts'

/** The chain that a reset is to begin: a fork, of a block or of any. */
interface ResetTarget {
  readonly forking: { readonly blockNumber: number | null } | null
}

/**
 * Goes back to genesis, or to the block of a fork; snapshots, the pool and impersonated accounts are gone. A fork of
 * another block is another chain, which a running node does not begin.
 */
export const resetChain = defineMethod({
  name: 'hardhat_reset',
  aliases: ['anvil_reset'],
  doc: 'Goes back to genesis, of a fork to its block; snapshots, the pool and impersonated accounts are gone. Forks of other blocks are refused.',
  params: [optional(resetTarget(), { forking: null })],
  result: { type: 'boolean' },
  lane: 'chain',
  cost: 20,
  cache: 'none',
  audience: 'dev',
  handler: async (context, [{ forking }]) => {
    if (forking !== null) assertSameFork(context, forking.blockNumber)
    const { commands, impersonated } = context
    await commands.dev.reset()
    impersonated.clear()
    return true
  },
})

/** @throws RpcError `invalidParams` when the fork is not the one that the chain is */
function assertSameFork({ belowFork }: NodeContext, blockNumber: number | null): void {
  const own = belowFork?.base.number
  if (own !== undefined && (blockNumber === null || blockNumber === own)) return
  const is = own === undefined ? 'no fork' : `a fork of block ${own}`
  const wanted = blockNumber === null ? 'a fork' : `one of block ${blockNumber}`
  throw invalidParams(
    `Invalid options: this chain is ${is}, and a node does not become ${wanted} while it runs: start another node with --fork-url and --fork-block`,
  )
}

/** Hardhat's and anvil's description of what to begin with; without a fork that is genesis. */
function resetTarget(): Param<ResetTarget> {
  return {
    name: 'options',
    schema: {
      type: 'object',
      properties: {
        forking: {
          type: 'object',
          properties: { jsonRpcUrl: { type: 'string' }, blockNumber: { type: 'integer' } },
        },
      },
    },
    optional: false,
    parse: (value) => {
      if (!isJsonObject(value)) throw invalidParams('Invalid options: an object expected')
      const { forking } = value
      if (!isGiven(forking)) return { forking: null }
      if (!isJsonObject(forking)) throw invalidParams('Invalid options: forking is an object')
      const { blockNumber, jsonRpcUrl } = forking
      // viem writes the member of what it was not given, and means the chain as it is.
      if (!isGiven(blockNumber) && !isGiven(jsonRpcUrl)) return { forking: null }
      if (!isGiven(blockNumber)) return { forking: { blockNumber: null } }
      const number = Number(blockNumber)
      if (!Number.isSafeInteger(number)) throw invalidParams('Invalid options: blockNumber is a number')
      return { forking: { blockNumber: number } }
    },
  }
}
