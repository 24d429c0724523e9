import type { LogCriteria } from '../../chain/logs/logCriteria.ts'
import type { ChainReader } from '../context.ts'
import { RpcError } from '../errors.ts'

/** Blocks between two heights, both included, of the chain that ends with a block. */
export interface BlockRange {
  readonly from: number
  readonly to: number
  readonly tip: Buffer
}

/** Blocks that are looked up ahead of the first read. */
const RUN_BLOCKS = 512

/** Blocks that follow one another in a chain, not necessarily without gaps. */
export interface BlockRun {
  readonly heights: readonly number[]
  /** 32 bytes per height. */
  readonly hashes: Buffer
}

/**
 * Blocks of a range that may have matching logs, ascending. The range belongs to the chain that ends with its tip. When
 * the tip is no longer canonical, blocks above the fork are found by hash, so that all pages of an answer come from one
 * chain.
 * @throws RpcError kind `internal` when the tip is no longer stored
 */
export function* anchoredRuns(
  chain: ChainReader,
  criteria: LogCriteria,
  range: BlockRange,
): Generator<BlockRun> {
  const branch = branchAbove(chain, range.tip)
  const fork = branch[0]?.height ?? Number.POSITIVE_INFINITY
  for (const found of chain.logHeights(criteria, range.from, Math.min(range.to, fork - 1))) {
    for (let start = 0; start < found.length; start += RUN_BLOCKS) {
      const heights = found.slice(start, start + RUN_BLOCKS)
      yield { heights, hashes: chain.hashesByNumber(heights) }
    }
  }
  const above = branch.filter(({ height }) => height >= range.from && height <= range.to)
  if (above.length === 0) return
  yield {
    heights: above.map(({ height }) => height),
    hashes: Buffer.concat(above.map(({ hash }) => hash)),
  }
}

interface AnchoredBlock {
  readonly height: number
  readonly hash: Buffer
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
