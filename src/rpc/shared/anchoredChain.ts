import type { LogCriteria } from '../../chain/logs/logCriteria.ts'
import type { ChainReader } from '../context.ts'
import { RpcError } from '../errors.ts'
import type { BlockRange } from './logSearch.ts'

/** A block of a chain that is named by its last one. */
export interface AnchoredBlock {
  readonly height: number
  readonly hash: Buffer
}

/**
 * Blocks of a range that may hold logs, ascending. The range belongs to the chain that ends with its tip:
 * when that is canonical no more, its blocks above the fork are taken by their hashes, so that an answer
 * which is sent in pages is of one chain.
 * @throws RpcError kind `internal` when the tip is not stored any more
 */
export function* anchoredHeights(
  chain: ChainReader,
  criteria: LogCriteria,
  range: BlockRange,
): Generator<AnchoredBlock> {
  const branch = branchAbove(chain, range.tip)
  const fork = branch[0]?.height ?? Number.POSITIVE_INFINITY
  for (const height of chain.logHeights(criteria, range.from, Math.min(range.to, fork - 1))) {
    const hash = chain.hashByNumber(height)
    if (hash !== null) yield { height, hash }
  }
  for (const block of branch) if (block.height >= range.from && block.height <= range.to) yield block
}

/** The blocks from a tip down to the canonical chain, lowest first; none when the tip is canonical. */
function branchAbove(chain: ChainReader, tip: Buffer): AnchoredBlock[] {
  const branch: AnchoredBlock[] = []
  for (let hash = tip; ; ) {
    const header = chain.headerByHash(hash)
    if (header === null) throw new RpcError('internal')
    if (chain.hashByNumber(header.number)?.equals(hash) === true) return branch
    branch.unshift({ height: header.number, hash })
    hash = header.parentHash
  }
}
