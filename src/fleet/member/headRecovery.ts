import type { FleetBlock, FleetHead, MemberId } from '../interface.ts'
import type { MemberView } from './memberView.ts'

/** What a leader does not know after a start of its own, or after its log lost entries (fleet.md §4). */
export interface HeadDoubt {
  /** Last sequence of the log by then: a head after it was written by a leader that knew. */
  readonly end: number
  /** Whom the last head named that this member had applied before. */
  readonly named: readonly MemberId[]
  /** When the lease of everybody is over who does not know of a loss, milliseconds. */
  readonly from: number
  /** When others are waited for no longer, milliseconds. */
  readonly until: number
}

/** Leases as a recovery looks at them. */
export interface RecoveryScene {
  /** Milliseconds of a monotonic clock. */
  readonly now: number
  /** Members that have a lease, or had one and did not leave. */
  readonly known: readonly MemberId[]
  /** Whether the lease of a member seems to be over, or it has none (fleet.md §2). */
  isOver(member: MemberId): boolean
}

/**
 * Finds heads that the log lost, as a function of what members announce: whoever has applied a head of the fleet has it,
 * or a heavier one, for its canonical head, and announces that (fleet.md §4).
 */
export class HeadRecovery {
  readonly #self: MemberId
  #doubt: HeadDoubt | null = null
  #isLoss = false

  constructor(self: MemberId) {
    this.#self = self
  }

  get isInDoubt(): boolean {
    return this.#doubt !== null
  }

  /** This member has started. */
  start(doubt: HeadDoubt): void {
    this.#doubt = doubt
  }

  /** Its log is another one, or lost entries. */
  lose(doubt: HeadDoubt): void {
    const named = [...doubt.named, ...(this.#doubt?.named ?? [])]
    this.#doubt = { ...doubt, named }
    this.#isLoss = true
  }

  /** Another head of the log is applied. */
  applied(revision: number): void {
    if (this.#doubt === null || revision <= this.#doubt.end) return
    this.#doubt = null
    this.#isLoss = false
  }

  /** Whether this member may write a head: it has heard from all who may have had a heavier one than the log. */
  mayWrite(
    { now, known, isOver }: RecoveryScene,
    views: ReadonlyMap<MemberId, MemberView>,
    applied: FleetHead | null,
  ): boolean {
    const doubt = this.#doubt
    if (doubt === null || now >= doubt.until) return true
    if (now < doubt.from) return false
    const isLoss = this.#isLost(views, applied)
    const leased = isLoss ? known : known.filter((id) => !isOver(id))
    const awaited = [...doubt.named, ...(applied?.members ?? []), ...leased]
    return awaited.every((id) => id === this.#self || (views.get(id)?.announcement ?? null) !== null)
  }

  /** The first head of a log. */
  firstHead(views: ReadonlyMap<MemberId, MemberView>): FleetBlock | null {
    return heavierThan(null, this.#blocks(views))
  }

  /**
   * The block that is to be the head since the log lost a heavier one than it has; null when it did not, as far as is
   * known. Whoever was named by a head that was lost has executed it.
   */
  lostHead(views: ReadonlyMap<MemberId, MemberView>, applied: FleetHead | null): FleetBlock | null {
    // An entry that names somebody was written by a leader that knew; what it lacks comes by rounds.
    const isOpen = this.#doubt !== null || applied?.members.length === 0
    if (!isOpen || !this.#isLost(views, applied)) return null
    return heavierThan(applied, this.#blocks(views))
  }

  /** Heads of all members, and what this one has executed. */
  #blocks(views: ReadonlyMap<MemberId, MemberView>): FleetBlock[] {
    return [...headsOf(views), ...(views.get(this.#self)?.executed ?? [])]
  }

  #isLost(views: ReadonlyMap<MemberId, MemberView>, applied: FleetHead | null): boolean {
    return this.#isLoss || heavierThan(applied, headsOf(views)) !== null
  }
}

function headsOf(views: ReadonlyMap<MemberId, MemberView>): FleetBlock[] {
  return [...views.values()].flatMap(({ announcement }) => announcement?.head ?? [])
}

function heavierThan(head: FleetBlock | null, blocks: readonly FleetBlock[]): FleetBlock | null {
  let best: FleetBlock | null = null
  for (const block of blocks)
    if (block.totalDifficulty > ((best ?? head)?.totalDifficulty ?? -1n)) best = block
  return best
}
