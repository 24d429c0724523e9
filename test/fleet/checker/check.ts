import { checkAcknowledged } from './acknowledged.ts'
import { checkCounts } from './counts.ts'
import { RecordedChains } from './events.ts'
import { checkFilters } from './filters.ts'
import { HeadOrder } from './headOrder.ts'
import type { History } from './history.ts'
import { checkLogs } from './logs.ts'
import { checkKeys } from './rates.ts'
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
    ...checkUsage(history),
    ...checkKeys(history),
    ...checkHealed(history),
  ]
}

/** Once everything has healed, everything is answered. */
function checkHealed({ entries }: History): Violation[] {
  return entries
    .filter(({ healed, outcome }) => healed === true && outcome.kind !== 'answered')
    .map((entry) => ({
      rule: 'healed' as const,
      message: 'not answered although all is well',
      entries: [entry],
    }))
}
