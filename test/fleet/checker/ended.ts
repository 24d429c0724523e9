import type { Entry } from './history.ts'

/**
 * Goes through requests in the order in which they began, and tells for each those that had ended before, once.
 * @param visit is given the request; what is yielded to `before` has ended since the last call
 */
export function inRealTime(
  entries: readonly Entry[],
  visit: (entry: Entry, ended: readonly Entry[]) => void,
): void {
  const byEnd = entries.toSorted((a, b) => a.end - b.end)
  let at = 0
  for (const entry of entries) {
    const first = at
    while ((byEnd[at]?.end ?? Number.POSITIVE_INFINITY) < entry.begin) at += 1
    visit(entry, byEnd.slice(first, at))
  }
}
