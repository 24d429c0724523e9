import { checkAcknowledged } from './acknowledged.ts'
import { checkCounts } from './counts.ts'
import { RecordedChains } from './events.ts'
import { checkFilters } from './filters.ts'
import { HeadOrder } from './headOrder.ts'
import type { Entry, History } from './history.ts'
import { checkLogs } from './logs.ts'
import { checkKeys } from './rates.ts'
import { checkSubscriptions } from './subscriptions.ts'
import { checkUsage } from './usage.ts'
import type { Violation } from './violation.ts'

/** Decides whether a fleet kept what it promises its clients (fleet.md §11). @returns what it did not keep */
export function checkHistory(history: History): Violation[] {
  const order = new HeadOrder(history)
  const chains = new RecordedChains(history)
  return [
    ...order.violations,
    ...checkCounts(history),
    ...checkAcknowledged(history),
    ...checkFilters(history, order, chains),
    ...checkLogs(history, order, chains),
    ...checkSubscriptions(history, chains),
    ...checkUsage(history),
    ...checkKeys(history),
    ...checkHealed(history),
  ]
}

/** Once everything has healed, everything is answered, if not the first time. */
function checkHealed({ entries }: History): Violation[] {
  const asked = new Map<string, Entry>()
  for (const entry of entries) {
    if (entry.healed !== true) continue
    // Whichever member is asked for a filter.
    const member = entry.operation.kind === 'poll' ? '' : entry.member
    const key = `${JSON.stringify(entry.operation)} ${member}`
    if (asked.get(key)?.outcome.kind !== 'answered') asked.set(key, entry)
  }
  return [...asked.values()]
    .filter(({ outcome }) => outcome.kind !== 'answered')
    .map((entry) => ({ rule: 'healed', message: 'not answered although all is well', entries: [entry] }))
}
