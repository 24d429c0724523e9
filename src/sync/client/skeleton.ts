import type { BlockIdentifier } from '../../p2p/messages/rskMessage.ts'
import { CHUNK_HEADERS } from './protocol.ts'

/** Most identifiers of a skeleton that are read: the reference sends 21 at most (p2p.md §4 Limits). */
const MAX_IDENTIFIERS = 64

/** Headers of one request. */
export interface ChunkPlan {
  /** Hash and height of the highest header according to the skeleton. */
  readonly hash: Buffer
  readonly number: number
  readonly count: number
}

/**
 * The chunks of a skeleton above a block, ascending.
 * @param known hash of the block at a height of the chain to be extended, null above it
 * @returns null when the skeleton is malformed (p2p.md §5); 'fork' when it is of another chain
 */
export function planChunks(
  skeleton: readonly BlockIdentifier[],
  start: number,
  known: (number: number) => Buffer | null,
): readonly ChunkPlan[] | null | 'fork' {
  if (skeleton.length < 2 || skeleton.length > MAX_IDENTIFIERS) return null
  if ((skeleton[0]?.number ?? 0) > start) return null
  const chunks: ChunkPlan[] = []
  let below = start
  let previous: number | null = null
  for (const { hash, number } of skeleton) {
    if (previous !== null && (number <= previous || number - previous > CHUNK_HEADERS)) return null
    previous = number
    if (number <= start) {
      const own = known(number)
      if (own !== null && !own.equals(hash)) return 'fork'
      continue
    }
    chunks.push({ hash, number, count: number - below })
    below = number
  }
  return chunks
}
