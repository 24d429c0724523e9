import type { BlockHeader } from '../../chain/codec/header.ts'
import { blockMembers, type JsonObject } from './formatBlock.ts'

/** A header as block objects have it, without what only the body or the chain below has (geth, eth_getHeaderBy*). */
export function headerAnswer(header: BlockHeader): JsonObject {
  const { before, after } = blockMembers({ header, uncles: [], size: 0, totalDifficulty: 0n })
  const {
    size: _size,
    totalDifficulty: _total,
    cumulativeDifficulty: _cumulative,
    uncles: _uncles,
    ...fields
  } = { ...before, ...after }
  return fields
}
