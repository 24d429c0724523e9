import type { Block } from '../../chain/codec/block.ts'
import type { NodeContext } from '../context.ts'
import type { Json } from '../json.ts'
import { formatBlock } from './formatBlock.ts'
import type { BlockSelector } from './params/blockSelector.ts'
import { findHeader } from './resolveBlock.ts'

/** The block of a hash with its transactions as objects or hashes; null when there is none. */
export function blockAnswer({ chain }: NodeContext, hash: Buffer, full: boolean): Json {
  const block = chain.blockByHash(hash)
  if (block === null) return null
  return formatBlock(block, {
    totalDifficulty: chain.totalDifficulty(hash) ?? 0n,
    transactions: full ? 'full' : 'hashes',
    senders: full ? chain.senders(block) : [],
    pending: false,
  })
}

/** The stored block that a selector names; null when there is none. */
export function findBlock(context: NodeContext, selector: BlockSelector): Block | null {
  const header = findHeader(context, selector)
  return header === null ? null : context.chain.blockByHash(header.hash)
}
