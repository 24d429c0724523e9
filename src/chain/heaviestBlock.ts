import type { TableReader } from '../storage/chainEnvironment.ts'
import { StorageError } from '../storage/errors.ts'
import type { BlockReference } from './tables/blockKey.ts'
import { readHeight } from './tables/heights.ts'
import { readPosition } from './tables/totalDifficulty.ts'

/** A block and the difficulty of the chain up to it, uncles included. */
export interface WeighedBlock extends BlockReference {
  readonly totalDifficulty: bigint
}

/**
 * Heights below the head that are searched: a branch that has more difficulty with fewer blocks left the canonical
 * chain not far below. One read each.
 */
const DEPTH = 512

/**
 * The connected block with the most difficulty near a head and above it, canonical or not. A tie goes to the head, then
 * to the lowest height.
 * @throws StorageError `STORAGE_CORRUPT` when the head has no total difficulty
 */
export function findHeaviest(reader: TableReader, head: BlockReference): WeighedBlock {
  let heaviest = weigh(reader, head)
  for (let number = Math.max(1, head.number - DEPTH); ; number += 1) {
    const entries = readHeight(reader, number)
    // A block above the head stands on others of every height in between.
    if (entries.length === 0 && number > head.number) return heaviest
    for (const { hash, canonical } of entries) {
      if (canonical) continue
      const block = weigh(reader, { number, hash })
      if (block.totalDifficulty > heaviest.totalDifficulty) heaviest = block
    }
  }
}

function weigh(reader: TableReader, { number, hash }: BlockReference): WeighedBlock {
  const position = readPosition(reader, hash)
  if (position !== undefined) return { number, hash, totalDifficulty: position.totalDifficulty }
  throw new StorageError('STORAGE_CORRUPT', `block ${hash.toString('hex')} has no total difficulty`)
}
