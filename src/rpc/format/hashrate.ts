import type { BlockHeader } from '../../chain/codec/header.ts'
import type { ChainReader } from '../context.ts'

/** Time over which difficulty is summed up, seconds. */
const PERIOD_SECONDS = 3600

/**
 * Hashes per second behind the canonical blocks of the last hour.
 * @param counts chooses among them
 */
export function hashrateOfBlocks(chain: ChainReader, counts: (header: BlockHeader) => boolean): bigint {
  const start = Math.floor(Date.now() / 1000) - PERIOD_SECONDS
  let sum = 0n
  let header = chain.head()
  while (header.timestamp >= start && header.number > 0) {
    if (counts(header)) sum += header.difficulty
    const parent = chain.headerByHash(header.parentHash)
    if (parent === null) break
    header = parent
  }
  return sum / BigInt(PERIOD_SECONDS)
}
