import type { DayCost } from '../../storage/access/lifeUsage.ts'

/** Keys of days and lives that are known: some 50 MiB, whatever is received. */
const MAX_COSTS = 250_000

/** The use by lives of others, by key and day: of each life the largest value that was received (fleet.md §7). */
export class ReceivedCosts {
  readonly #slots = new Map<
    string,
    { total: number; readonly day: number; readonly lives: Map<string, number> }
  >()
  #count = 0

  /** @returns the sum over all lives when it grew by this; else null, as for one more than are known */
  raise(life: string, [id, day, cost]: DayCost): number | null {
    const slot = `${day} ${id}`
    const known = this.#slots.get(slot) ?? { total: 0, day, lives: new Map<string, number>() }
    const before = known.lives.get(life)
    if (cost <= (before ?? 0) || (before === undefined && this.#count >= MAX_COSTS)) return null
    if (before === undefined) this.#count += 1
    known.lives.set(life, cost)
    known.total += cost - (before ?? 0)
    this.#slots.set(slot, known)
    return known.total
  }

  /** The known use of one life. */
  of(life: string): DayCost[] {
    return [...this.#slots].flatMap(([slot, { day, lives }]): DayCost[] => {
      const cost = lives.get(life)
      return cost === undefined ? [] : [[slot.slice(slot.indexOf(' ') + 1), day, cost]]
    })
  }

  /** Forgets the days before this one. */
  prune(first: number): void {
    for (const [slot, { day, lives }] of this.#slots) {
      if (day >= first) continue
      this.#count -= lives.size
      this.#slots.delete(slot)
    }
  }
}
