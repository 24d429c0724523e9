import type { SolutionOutcome } from '../../mining/interface.ts'
import type { NodeContext } from '../context.ts'
import { invalidParams, RpcError } from '../errors.ts'
import { quantity } from '../format/quantity.ts'
import type { MiningCommands } from '../miningCommands.ts'

/**
 * Mining of a method of the `mnr_` module.
 * @throws RpcError -32603 where the node serves no miners, as the reference (rpc.md §3.7)
 */
export function miningOf({ commands }: NodeContext): MiningCommands {
  if (commands.mining === null) throw new RpcError('internal')
  return commands.mining
}

/**
 * Mining of `eth_getWork` and its neighbours.
 * @throws RpcError -32601 where the node serves no miners, as the reference (rpc.md §3.7)
 */
export function templateMiningOf({ commands }: NodeContext, method: string): MiningCommands {
  if (commands.mining !== null) return commands.mining
  throw new RpcError('methodUnavailable', `the method ${method} does not exist/is not available`)
}

/**
 * Answer to a submitted solution (mining.md §5).
 * @throws RpcError -33000 when it was refused, -32602 that says what does not parse
 */
export function solutionAnswer(outcome: SolutionOutcome): { readonly [key: string]: string } {
  switch (outcome.status) {
    case 'malformed':
      throw invalidParams(`Invalid ${outcome.reason}`)
    case 'refused':
      throw new RpcError('miningRefused', outcome.reason)
    case 'imported':
      return {
        blockImportedResult: `0x${Buffer.from(outcome.word, 'latin1').toString('hex')}`,
        blockHash: `0x${outcome.hash.toString('hex')}`,
        blockIncludedHeight: quantity(outcome.number),
      }
  }
}
