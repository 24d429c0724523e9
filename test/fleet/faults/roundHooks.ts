import type { Fault } from '../availability/faults.ts'
import type { TestFleet } from '../cluster/testFleet.ts'

/** Something that is checked beside the answers to clients in each round of faults. */
export interface RoundHook {
  readonly name: string
  /** Before clients ask anything; the fleet is whole. */
  begin(fleet: TestFleet): Promise<void>
  /** Right before a fault begins. */
  beforeFault?(fault: Fault): void
  /** While a fault lasts, before the time that it lasts is counted. */
  duringFault?(fault: Fault): Promise<void>
  /** The fleet is whole again. @returns what is broken, each a clause */
  afterRound(fault: Fault): Promise<readonly string[]>
  /** After the last round, also where one failed. */
  end?(): Promise<void>
}
