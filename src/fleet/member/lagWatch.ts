import type { FleetHead, MemberId } from '../interface.ts'
import type { MemberLeases } from './memberPorts.ts'
import type { MemberView } from './memberView.ts'

/** Watches whether this member lacks a block that all the others have executed (fleet.md §3, Leaving). */
export class LagWatch {
  /** It left for that. */
  isAway = false
  readonly #self: MemberId
  #since: number | null = null
  #lag = 0

  constructor(self: MemberId) {
    this.#self = self
  }

  /** Milliseconds, as of the last look. */
  get lag(): number {
    return this.#lag
  }

  look(
    head: FleetHead | null,
    views: ReadonlyMap<MemberId, MemberView>,
    leases: Pick<MemberLeases, 'isOver'>,
    now: number,
  ): number {
    this.#since = this.#lacks(head, views, leases) ? (this.#since ?? now) : null
    this.#lag = this.#since === null ? 0 : now - this.#since
    return this.#lag
  }

  #lacks(
    head: FleetHead | null,
    views: ReadonlyMap<MemberId, MemberView>,
    leases: Pick<MemberLeases, 'isOver'>,
  ): boolean {
    if (head === null) return false
    const own = views.get(this.#self)
    const others = head.members
      .filter((id) => id !== this.#self && !leases.isOver(id))
      .map((id) => views.get(id))
      .filter((view) => view !== undefined)
    const [first, ...rest] = others
    if (first === undefined || own === undefined) return false
    let best = 0n
    for (const { totalDifficulty } of own.executed) if (totalDifficulty > best) best = totalDifficulty
    for (const block of first.executed) {
      if (block.totalDifficulty <= head.totalDifficulty || block.totalDifficulty <= best) continue
      if (rest.every((view) => view.has(block.hash))) return true
    }
    return false
  }
}
