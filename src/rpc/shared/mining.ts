import type { NodeContext } from '../context.ts'
import { RpcError } from '../errors.ts'
import type { MiningCommands, SolutionOutcome } from '../miningCommands.ts'
import { quantity } from './quantity.ts'

/** The reward transaction's tag in a Bitcoin coinbase (facts/mining.md §4). */
const TAG = Buffer.from('RSKBLOCK:', 'latin1')
const HASH_BYTES = 32

/**
 * Mining of a method of the `mnr_` module.
 * @throws RpcError -32603 where the node serves no miners, as the reference (facts/rpc.md §3.7)
 */
export function miningOf({ commands }: NodeContext): MiningCommands {
  if (commands.mining === null) throw new RpcError('internal', 'this node serves no miners')
  return commands.mining
}

/**
 * Mining of `eth_getWork` and its neighbours.
 * @throws RpcError -32601 where the node serves no miners, as the reference (facts/rpc.md §3.7)
 */
export function headerMiningOf({ commands }: NodeContext, method: string): MiningCommands {
  if (commands.mining !== null) return commands.mining
  throw new RpcError('methodUnavailable', `the method ${method} does not exist/is not available`)
}

/**
 * Refuses a solution while the node serves no miners: no work of it can be known.
 * @throws RpcError -33000 that names the work
 */
export function solvableMiningOf({ commands }: NodeContext, coinbase: Buffer): MiningCommands {
  if (commands.mining !== null) return commands.mining
  const tag = coinbase.lastIndexOf(TAG)
  const hash = tag < 0 ? Buffer.alloc(0) : coinbase.subarray(tag + TAG.length, tag + TAG.length + HASH_BYTES)
  throw new RpcError(
    'miningRefused',
    `Cannot publish block, could not find hash 0x${hash.toString('hex')} in the cache`,
  )
}

/** Answer to a submitted solution (facts/mining.md §5). @throws RpcError -33000 when it was refused */
export function solutionAnswer(outcome: SolutionOutcome): { readonly [key: string]: string } {
  if (outcome.status === 'refused') throw new RpcError('miningRefused', outcome.reason)
  return {
    blockImportedResult: `0x${Buffer.from(outcome.word, 'latin1').toString('hex')}`,
    blockHash: `0x${outcome.hash.toString('hex')}`,
    blockIncludedHeight: quantity(outcome.number),
  }
}
