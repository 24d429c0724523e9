import { type BlockSelector, isBlockTag } from './blockSelector.ts'
import { blockText, hashSelector, invalidBlockNumber, numberSelector } from './blockText.ts'
import type { Param } from './param.ts'

const HASH_CHARACTERS = 66
const BARE_HASH = /^[0-9a-fA-F]{64}$/

/**
 * Block of the raw header: a tag, a 0x number, or a hash with or without 0x; one error for anything else (rpc.md §2).
 */
export function plainBlock(name = 'block'): Param<BlockSelector> {
  return blockText(name, parsePlainBlock)
}

/** @throws RpcError `invalid blocknumber <v>` */
function parsePlainBlock(text: string): BlockSelector {
  if (isBlockTag(text)) return { kind: 'tag', tag: text }
  if (text.length > HASH_CHARACTERS) throw invalidBlockNumber(text)
  if (BARE_HASH.test(text)) return hashSelector(text)
  const number = numberSelector(text)
  return text.length === HASH_CHARACTERS ? hashSelector(text) : number
}
