import type { BlockHeader } from '../../chain/codec/header.ts'
import type { Json } from '../json.ts'
import { formatBlock } from './formatBlock.ts'

/** A header as block objects have it, without what only the body or the chain below tells (geth, eth_getHeaderBy*). */
export function headerAnswer(header: BlockHeader): { readonly [key: string]: Json } {
  const {
    size: _size,
    totalDifficulty: _total,
    cumulativeDifficulty: _cumulative,
    transactions: _transactions,
    uncles: _uncles,
    ...fields
  } = formatBlock({ header, uncles: [], size: 0, totalDifficulty: 0n })
  return fields
}
