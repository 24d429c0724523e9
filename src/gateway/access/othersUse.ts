import type { DayUsage } from '../../storage/access/usageRecord.ts'

/** Use of keys that other members of a fleet counted (fleet.md §7). */
export interface OthersUse {
  /** Cost units of a key on a day, as far as heard. */
  costOn(id: string, day: number): number
  /** The same as usage, from one day to another, both included, oldest first. */
  usage(id: string, first: number, last: number): readonly DayUsage[]
  /** Calls a listener with what was heard since: cost units of a key on a day that others counted in addition. */
  onHeard(listener: (id: string, day: number, cost: number) => void): void
}

/** Nobody else counts. */
export const NO_OTHERS: OthersUse = {
  costOn: () => 0,
  usage: () => [],
  onHeard: () => undefined,
}
