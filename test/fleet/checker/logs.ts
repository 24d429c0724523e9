import type { RecordedChains } from './events.ts'
import type { HeadOrder } from './headOrder.ts'
import type { Entry, History } from './history.ts'
import type { Violation } from './violation.ts'

/**
 * A search of logs over a range that ended at or below a head which had been seen before tells all logs of the range,
 * and no others, as the chain of one of the heads has them at which it may have been answered.
 */
export function checkLogs(
  { entries, heads }: History,
  order: HeadOrder,
  chains: RecordedChains,
): Violation[] {
  return entries.flatMap((entry) => {
    const { operation, outcome } = entry
    if (operation.kind !== 'logs' || outcome.kind !== 'answered') return []
    const [first, last] = [order.floor(entry.begin), order.ceiling(entry.end)]
    if (operation.to > (heads[first]?.number ?? -1)) return []
    const found = outcome.value as readonly string[]
    for (let place = first; place <= last; place += 1) {
      if (isSame(found, chains.logs(place, operation.address, operation.from, operation.to))) return []
    }
    return [violationOf(entry, found, chains.logs(first, operation.address, operation.from, operation.to))]
  })
}

function violationOf(entry: Entry, found: readonly string[], due: readonly string[]): Violation {
  const missing = due.find((name) => !found.includes(name))
  const more = found.find((name) => !due.includes(name))
  const difference =
    missing !== undefined
      ? `${missing} is missing`
      : more === undefined
        ? 'in another order'
        : `${more} is not due`
  return {
    rule: 'logs',
    message: `a search tells ${found.length} logs where there are ${due.length}: ${difference}`,
    entries: [entry],
  }
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, at) => name === other[at])
}
