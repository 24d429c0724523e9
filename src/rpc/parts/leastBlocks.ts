/** A search that is worth sharing is worth so many parts. */
const LEAST_PARTS = 10

/** Blocks of a part, at least. @param sharedBlocks from which on searches are shared */
export function leastBlocks(sharedBlocks: number): number {
  return Math.max(1, Math.floor(sharedBlocks / LEAST_PARTS))
}
