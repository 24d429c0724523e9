import type { ChainTarget, NodeContext } from '../context.ts'
import { defineMethod } from '../defineMethod.ts'
import { invalidParams } from '../errors.ts'
import { isGiven, isJsonObject, optional, type Param } from '../params/param.ts'

/** The chain that a reset is to begin. */
interface ResetTarget {
  /** A fork, of these addresses and this block where they are given; null for none. */
  readonly forking: ChainTarget | null
}

/**
 * Goes back to genesis, or to the block of a fork; snapshots, the pool and impersonated accounts are gone. Where another
 * chain is wanted than the one that there is, a fork of another block or address or none, the node goes on with that
 * under the same port, and WebSockets, filters and subscriptions end.
 */
export const resetChain = defineMethod({
  name: 'hardhat_reset',
  aliases: ['anvil_reset'],
  doc: 'Begins anew at genesis, or as a fork of the block that `forking` names; snapshots, the pool and impersonated accounts are gone. Where that is another chain, WebSockets, filters and subscriptions end.',
  params: [optional(resetTarget(), { forking: null })],
  result: { type: 'boolean' },
  lane: 'chain',
  cost: 20,
  cache: 'none',
  audience: 'dev',
  handler: async (context, [options]) => {
    const { commands, impersonated, replaceChain, belowFork } = context
    const forking = belowFork === undefined && namesNothing(options.forking) ? null : options.forking
    if (isOther(context, forking)) {
      if (replaceChain === undefined)
        throw invalidParams('Invalid options: this node cannot become another chain')
      await replaceChain(forking)
      return true
    }
    await commands.dev.reset()
    impersonated.clear()
    return true
  },
})

/** True for what viem sends where it was given nothing: it means the chain that there is. */
function namesNothing(forking: ChainTarget | null): boolean {
  return forking !== null && forking.url === null && forking.block === null
}

/** True for another chain than that of the node. */
function isOther({ belowFork }: NodeContext, forking: ChainTarget | null): boolean {
  if (belowFork === undefined || forking === null) return (belowFork === undefined) !== (forking === null)
  const { url, block } = forking
  // What its network has left is begun anew.
  if (belowFork.isLeft) return true
  if (url !== null && !belowFork.urls.includes(url)) return true
  const { number, hash } = belowFork.base
  // Without a block it is the newest one that is meant, with nothing at all the one that there is.
  return block === null ? url !== null : Number(block) !== number && block.toLowerCase() !== hash
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
      const { jsonRpcUrl, blockNumber } = forking
      const url = isGiven(jsonRpcUrl) ? jsonRpcUrl : null
      if (url !== null && typeof url !== 'string')
        throw invalidParams('Invalid options: jsonRpcUrl is a text')
      return { forking: { url, block: blockOf(blockNumber) } }
    },
  }
}

function blockOf(value: unknown): string | null {
  if (!isGiven(value)) return null
  if (typeof value === 'string' && /^0x[0-9a-f]{64}$/i.test(value)) return value
  const number = Number(value)
  if (Number.isSafeInteger(number) && number >= 0) return String(number)
  throw invalidParams('Invalid options: blockNumber is a number')
}
