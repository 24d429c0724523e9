import type { TestFleet } from '../cluster/testFleet.ts'

/** Something that is checked beside the answers to clients in each round of faults. */
export interface RoundHook {
  readonly name: string
  /** Before the first round; the fleet is whole. */
  begin(fleet: TestFleet): Promise<void>
  /** The fleet is whole again. @returns what is broken, each a clause */
  afterRound(fleet: TestFleet): Promise<readonly string[]>
}

/** Those of keys and counters (fleet.md §6, §7) come here. */
export const ROUND_HOOKS: readonly RoundHook[] = []
