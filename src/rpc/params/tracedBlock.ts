import { type BlockSelector, isBlockTag } from './blockSelector.ts'
import { blockText, hashSelector, numberSelector } from './blockText.ts'
import type { Param } from './param.ts'

/** From this length on a text is a hash. */
const MIN_HASH_CHARACTERS = 20

/**
 * Block of the trace methods: a tag of any case, a 0x number of fewer than 20 characters, or a hash
 * (rpc.md §3.14).
 */
export function tracedBlock(name = 'block'): Param<BlockSelector> {
  return blockText(name, parseTracedBlock)
}

/** @throws RpcError `invalid blocknumber <v>` */
export function parseTracedBlock(text: string): BlockSelector {
  if (text.length >= MIN_HASH_CHARACTERS) return hashSelector(text)
  const tag = text.toLowerCase()
  return isBlockTag(tag) ? { kind: 'tag', tag } : numberSelector(text)
}
