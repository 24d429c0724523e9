import type { KeyRecord } from '../../storage/access/keyRecord.ts'
import type { DayUsage } from '../../storage/access/usageRecord.ts'

/**
 * Storage of keys and their usage: the access store of this node, with what it knows of other members of a fleet. This is
 * all that admission needs of it.
 */
export interface AccessBook {
  /** Grows with every change of keys, by whoever made it. Asked several times a second. */
  revision(): number
  /** All keys, the disabled ones included. */
  keys(): readonly KeyRecord[]
  /** Adds to what was used, all of it or nothing; resolves when it cannot be lost any more. */
  addUsage(added: readonly DayUsage[]): Promise<void>
  /** The use of a key on a day that this node counted, cost units: a part of {@link usage}. */
  ownCost(id: string, day: number): number
  /** Usage of a key from one day to another, both included, oldest first. */
  usage(id: string, first: number, last: number): readonly DayUsage[]
  /** Removes the usage of days before this one. */
  pruneUsage(firstKept: number): Promise<number>
}
