import { Block } from '../../chain/codec/block.ts'
import type { NodeContext } from '../context.ts'
import type { Json } from '../json.ts'
import { membersOfBlock } from './formatBlock.ts'

/**
 * An uncle of a block as a block object without transactions; null when there is none. What is only
 * known as a header has no uncles and no total difficulty (rpc.md §3.3).
 */
export function uncleAnswer({ chain }: NodeContext, block: Block | null, index: number): Json {
  const header = block?.uncles[index]
  if (header === undefined) return null
  const uncle = chain.blockByHash(header.hash) ?? new Block(header, [], [])
  const { before, after } = membersOfBlock(uncle, chain.totalDifficulty(header.hash) ?? 0n)
  return { ...before, transactions: [], ...after }
}
