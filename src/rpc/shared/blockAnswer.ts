import type { Block } from '../../chain/codec/block.ts'
import type { NodeContext } from '../context.ts'
import { RawBytes } from '../json.ts'
import { formatBlock } from './formatBlock.ts'
import type { BlockSelector } from './params/blockSelector.ts'
import { findHeader } from './resolveBlock.ts'

/**
 * The block of a hash with its transactions as objects or hashes; null when there is none. The text is kept: nothing
 * of it depends on anything but the hash, not even the difficulty of the chain up to it.
 */
export function blockAnswer({ chain, texts }: NodeContext, hash: Buffer, full: boolean): RawBytes | null {
  const number = chain.heightOf(hash)
  if (number === null) return null
  const subject = full ? 'fullBlock' : 'block'
  const kept = texts.text(subject, hash, hash)
  if (kept !== null) return new RawBytes(kept)
  const block = chain.blockByHash(hash)
  if (block === null) return null
  const answer = formatBlock(block, {
    totalDifficulty: chain.totalDifficulty(hash) ?? 0n,
    transactions: full ? 'full' : 'hashes',
    senders: full ? chain.senders(block) : [],
    pending: false,
  })
  const bytes = Buffer.from(JSON.stringify(answer))
  texts.keepBlock(subject, hash, number, bytes)
  return new RawBytes(bytes)
}

/** The stored block that a selector names; null when there is none. */
export function findBlock(context: NodeContext, selector: BlockSelector): Block | null {
  const header = findHeader(context, selector)
  return header === null ? null : context.chain.blockByHash(header.hash)
}
