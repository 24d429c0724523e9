import type { FleetBlock, MemberId } from '../interface.ts'
import { observedLifetime } from '../lease/leaseTimes.ts'
import type { HeadDoubt } from './headRecovery.ts'

/** For so many times a lease those are waited for who may have had a head that the log lost (fleet.md §4). */
const AWAITED_LEASES = 20

/** What a member keeps of the fleet while it is not there (fleet.md §4): its canonical head is one of the fleet. */
export interface EarlierLife {
  /** Whom the last head named that it had applied. */
  readonly named: readonly MemberId[]
}

/** The canonical head of a member, as one that clients may have seen (fleet.md §4). */
export class ServedHead {
  /** The canonical head, once known. */
  block: FleetBlock | null = null
  readonly #now: () => number
  readonly #lease: number
  #isOfFleet: boolean
  #staysUntil = Number.NEGATIVE_INFINITY

  /**
   * @param now milliseconds of a monotonic clock
   * @param lease its length, milliseconds
   */
  constructor(before: EarlierLife | null, now: () => number, lease: number) {
    this.#isOfFleet = before !== null
    this.#now = now
    this.#lease = lease
  }

  /** Whether it is, or was, a head of the fleet. */
  get isOfFleet(): boolean {
    return this.#isOfFleet
  }

  /** Whether the member moves to no lighter head yet, since the log lost some. */
  get stays(): boolean {
    return this.#now() < this.#staysUntil
  }

  /** The member stands on a head of the fleet. */
  applied(block: FleetBlock): void {
    this.block = block
    this.#isOfFleet = true
  }

  /** Whether clients may have seen a heavier head here than this one. */
  isLighter({ totalDifficulty }: FleetBlock): boolean {
    return this.#isOfFleet && totalDifficulty < (this.block?.totalDifficulty ?? 0n)
  }

  /** Of a leader that starts. @param end last sequence of the log */
  doubtAtStart(end: number, before: EarlierLife | null): HeadDoubt {
    const now = this.#now()
    return { end, named: before?.named ?? [], from: now, until: now + AWAITED_LEASES * this.#lease }
  }

  /** The log lost entries. @param named by the last head that was applied */
  lose(end: number, named: readonly MemberId[]): HeadDoubt {
    const now = this.#now()
    this.#staysUntil = now + AWAITED_LEASES * this.#lease
    return { end, named, from: now + observedLifetime(this.#lease), until: this.#staysUntil }
  }
}
