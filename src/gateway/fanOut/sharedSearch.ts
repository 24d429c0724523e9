import type { PartedSearch } from '../../rpc/json.ts'
import { type FoundPart, readPartResult } from '../../rpc/parts/partResult.ts'
import { type BlockPart, planParts } from './partPlan.ts'

/** Answers a part: the result as JSON text. Rejects when it cannot. */
export type PartSearcher = (params: string) => Promise<Buffer>

/** What a search is shared with. */
export interface SharedSearchOptions {
  readonly search: PartedSearch
  /** This member. When it fails, so does the search. */
  readonly own: PartSearcher
  /** The others. One that fails gets no more parts, and others do what it had. */
  readonly others: readonly PartSearcher[]
  /** Bytes of the elements of the whole. */
  readonly mostBytes: number
  /** Takes the memory of a part; false where there is none. */
  hold(bytes: number): boolean
  /** Whether nobody waits any more. */
  isGone(): boolean
}

/**
 * Searches in parts, each by whoever has time, and puts them together in the order of the blocks.
 * @returns JSON texts of the elements with commas between; null where the request is to be answered as it came: a part
 *   failed for a reason of its own, or there is more than the whole may have
 */
export async function searchInParts(options: SharedSearchOptions): Promise<readonly Buffer[] | null> {
  const { search, own, others } = options
  const parts = planParts(search, others.length + 1, search.leastBlocks)
  const found: (FoundPart | undefined)[] = []
  const waiting = parts.map((part, index) => ({ part, index }))
  let running = 0
  let count = 0
  let bytes = 0
  let isFailed = false
  /** Called when parts are given back, for those who had nothing left to do. */
  let wake: (() => void)[] = []
  const wakeAll = () => {
    const sleeping = wake
    wake = []
    for (const go of sleeping) go()
  }
  const take = (result: FoundPart, index: number) => {
    count += result.count
    bytes += result.elements.length
    if (count > search.most || bytes > options.mostBytes || !options.hold(result.elements.length))
      isFailed = true
    found[index] = result
  }
  const work = async (searcher: PartSearcher, isOwn: boolean): Promise<void> => {
    for (;;) {
      if (isFailed || options.isGone()) return
      const next = waiting.shift()
      if (next === undefined) {
        // Somebody may still give a part back.
        if (running === 0) return
        await new Promise<void>((resolve) => wake.push(resolve))
        continue
      }
      running += 1
      const result = await ask(searcher, search, next.part)
      running -= 1
      if (result !== null) take(result, next.index)
      else if (isOwn) isFailed = true
      else waiting.unshift(next)
      wakeAll()
      if (result === null) return
    }
  }
  await Promise.all([work(own, true), ...others.map((searcher) => work(searcher, false))])
  if (isFailed || options.isGone()) return null
  const elements: Buffer[] = []
  for (const index of parts.keys()) {
    const part = found[index]
    if (part === undefined) return null
    if (part.elements.length > 0) elements.push(part.elements)
  }
  return elements
}

/** null when the searcher could not. */
async function ask(
  searcher: PartSearcher,
  search: PartedSearch,
  { from, to }: BlockPart,
): Promise<FoundPart | null> {
  try {
    return readPartResult(await searcher(search.part(from, to)))
  } catch {
    return null
  }
}
