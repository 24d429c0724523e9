import type { Ancestor } from './ancestry.ts'

/** Ancestors that the data is computed from: enough for seven checkpoints 64 blocks apart. */
export const FORK_DETECTION_ANCESTORS = 449
const CHECKPOINTS = 7
const CHECKPOINT_DISTANCE = 64
const UNCLE_WINDOW = 32
const MAX_UNCLES_WRITTEN = 255

/**
 * Fork detection data of the block on top of the ancestors (RSKIP110, consensus.md §3.5):
 * CPV 7 ∥ NU 1 ∥ BN 4.
 * @param ancestors newest first, at least {@link FORK_DETECTION_ANCESTORS}
 * @returns null when an ancestor lacks its Bitcoin header or the uncle counts overflow
 */
export function calculateForkDetectionData(ancestors: readonly Ancestor[]): Buffer | null {
  const best = ancestors[0]
  if (best === undefined || ancestors.length < FORK_DETECTION_ANCESTORS) return null
  const data = Buffer.alloc(CHECKPOINTS + 1 + 4)
  for (let index = 0; index < CHECKPOINTS; index += 1) {
    const byte = ancestors[(best.number % CHECKPOINT_DISTANCE) + index * CHECKPOINT_DISTANCE]?.bitcoinHashByte
    if (byte === undefined || byte === null) return null
    data[index] = byte
  }
  // The reference adds in 32 bits and refuses a negative sum.
  let uncles = 0
  for (const ancestor of ancestors.slice(0, UNCLE_WINDOW)) uncles = (uncles + ancestor.uncleCount) | 0
  if (uncles < 0) return null
  data[CHECKPOINTS] = Math.min(uncles, MAX_UNCLES_WRITTEN)
  data.writeUInt32BE((best.number + 1) >>> 0, CHECKPOINTS + 1)
  return data
}
