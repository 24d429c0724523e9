import { type Block, blockLength } from '../../chain/codec/block.ts'
import { EMPTY_LIST_HASH } from '../../chain/codec/constants.ts'
import type { NodeContext } from '../context.ts'
import { RawBytes } from '../json.ts'
import type { BlockSelector } from '../params/blockSelector.ts'
import { findHeader } from '../select/resolveBlock.ts'
import { blockMembers, membersText } from './formatBlock.ts'

const NO_SENDERS = Buffer.alloc(0)

/**
 * The block of a hash with its transactions as objects or hashes; null when there is none. The text is kept: nothing
 * of it depends on anything but the hash, not even the difficulty of the chain up to it.
 */
export function blockAnswer(
  { chain, encodedObjects }: NodeContext,
  hash: Buffer,
  full: boolean,
): RawBytes | null {
  const number = chain.heightOf(hash)
  if (number === null) return null
  const kept = encodedObjects.text(full ? 'fullBlock' : 'block', hash, hash)
  if (kept !== null) return new RawBytes(kept)
  const header = chain.headerByHash(hash)
  const body = header && chain.storedBody(header)
  if (header === null || body === null) return null
  const hasUncles = !header.fields.unclesHash.equals(EMPTY_LIST_HASH)
  const members = blockMembers({
    header,
    uncles: hasUncles ? (chain.blockByHash(hash)?.uncles ?? []) : [],
    size: blockLength(header, body),
    totalDifficulty: chain.totalDifficulty(hash) ?? 0n,
  })
  const senders = chain.storedSenders(header) ?? NO_SENDERS
  return new RawBytes(encodedObjects.writeBlock(full, { hash, number, body, senders }, membersText(members)))
}

/** The stored block that a selector names; null when there is none. */
export function findBlock(context: NodeContext, selector: BlockSelector): Block | null {
  const header = findHeader(context, selector)
  return header === null ? null : context.chain.blockByHash(header.hash)
}
