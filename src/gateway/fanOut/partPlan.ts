/** Blocks of a part, both ends included. */
export interface BlockPart {
  readonly from: number
  readonly to: number
}

/** Parts for each of those who search: who is quick takes more of them. */
const PARTS_PER_SEARCHER = 3

/**
 * Divides a range among searchers, in the order of the blocks.
 * @param leastBlocks of a part: fewer take less time than the call for them
 */
export function planParts({ from, to }: BlockPart, searchers: number, leastBlocks: number): BlockPart[] {
  const blocks = to - from + 1
  const count = Math.max(1, Math.min(searchers * PARTS_PER_SEARCHER, Math.floor(blocks / leastBlocks)))
  return Array.from({ length: count }, (_, index) => ({
    from: from + Math.floor((blocks * index) / count),
    to: from + Math.floor((blocks * (index + 1)) / count) - 1,
  }))
}
