import type { Scheduler } from '../../p2p/peers/scheduler.ts'
import { FleetError } from '../errors.ts'
import type { FleetHead, MemberId } from '../interface.ts'
import { Paced } from './paced.ts'
import { ADMITTED, type SharedLog, STABLE } from './sharedLog.ts'
import type { AppliedReport, EntryPosition, StableNotice } from './stabilityMessages.ts'

/** Entries whose time is known, so that positions of others can be compared. */
const KNOWN_ENTRIES = 8192
/** Members whose reports are kept: with a report of 200 bytes below 1 MiB. */
const MOST_REPORTS = 4096
/** What may have been lost is said again, milliseconds. */
const REPEAT = 200

/** Stands for an entry that nothing reaches. */
const UNKNOWN = Number.POSITIVE_INFINITY

/** How members tell one another how far they have applied the log. Messages may be lost. */
export interface StabilityBus {
  /** To the member that leads. */
  report(report: AppliedReport): void
  /** To all. */
  tell(notice: StableNotice): void
  /** Hears reports, while this member leads. @returns ends it */
  listen(onReport: (report: AppliedReport) => void): () => void
}

export interface LogStabilityOptions {
  readonly self: MemberId
  readonly bus: StabilityBus
  readonly scheduler: Scheduler
  readonly shared: SharedLog
}

/** What is known of another member: where it was for certain, and what it said last. */
interface Reported {
  readonly applied: number
  readonly latest: EntryPosition
}

/**
 * Up to where every member that may serve has applied the log (fleet.md §4). An entry is *stable* when all members of the
 * last head before it have applied it: whoever is named later has it, whoever is left out serves no more. What a
 * member says of its pool waits until the entries that it shows are stable, and so no other member says less afterwards.
 */
export class LogStability {
  readonly #options: LogStabilityOptions
  /** The last entries that were applied, the oldest first: time by sequence. */
  readonly #times = new Map<number, number>()
  #applied: EntryPosition | null = null
  #head: FleetHead | null = null
  #stable = 0
  readonly #reports = new Map<MemberId, Reported>()
  #leader: MemberId | null = null
  /** What the leader told last: perhaps of an entry that is still to be applied. */
  #told: EntryPosition | null = null
  #endListening: (() => void) | null = null
  readonly #reporting: Paced
  readonly #telling: Paced
  #cancelRepeat: (() => void) | null = null
  #isStopped = false
  /** Since when nothing new is stable although something waits for it. */
  #since = 0
  /** Those who wait until an entry is stable. */
  readonly #waiting = new Set<{ readonly sequence: number; settle(error: FleetError | null): void }>()

  constructor(options: LogStabilityOptions) {
    this.#options = options
    this.#reporting = new Paced(options.scheduler, () => this.#report())
    this.#telling = new Paced(options.scheduler, () => this.#tell())
  }

  /** The last sequence of which this member knows that all have applied it. */
  get stable(): number {
    return this.#stable
  }

  /** Milliseconds for which members have waited for another one to apply what this one has applied; 0 when none does. */
  get standstill(): number {
    return this.#isBehind ? this.#options.scheduler.now() - this.#since : 0
  }

  /** The pool is that of an entry: where this member begins. */
  begin({ sequence, time }: { readonly sequence: number; readonly time: number | null }): void {
    this.#options.shared.sequences[ADMITTED] = sequence
    if (time !== null) this.#note([{ sequence, time }])
  }

  /** To be called before the pool gets transactions up to an entry. */
  admitting(sequence: number): void {
    this.#options.shared.sequences[ADMITTED] = sequence
  }

  /**
   * To be called before this member moves to a head. One of another block was written when all members of the head before
   * had pledged (fleet.md §3): whoever serves afterwards has applied everything before it.
   */
  moving(head: FleetHead): void {
    const before = this.#head
    if (before !== null && !before.hash.equals(head.hash)) this.#becameStable(head.revision)
  }

  /** Entries are applied, in their order. @param head the last that was applied */
  applied(entries: readonly EntryPosition[], head: FleetHead | null): void {
    const { sequences } = this.#options.shared
    this.#head = head
    if (!this.#isBehind) this.#since = this.#options.scheduler.now()
    this.#note(entries)
    if (sequences[ADMITTED] === UNKNOWN) sequences[ADMITTED] = this.#applied?.sequence ?? 0
    this.#advance()
    if (this.#isBehind) this.#reporting.soon()
    this.#repeat()
  }

  /** Whether this member leads has changed, perhaps. */
  leading(isLeading: boolean): void {
    if (isLeading === (this.#endListening !== null)) return
    if (!isLeading) {
      this.#endListening?.()
      this.#endListening = null
      return
    }
    this.#endListening = this.#options.bus.listen((report) => this.#hearReport(report))
    // Whoever has applied more says so.
    this.#telling.soon()
    this.#repeat()
  }

  /** The leader says how far all are. */
  hear({ leader, stable }: StableNotice): void {
    this.#told = stable
    this.#lookAtTold()
    const isNew = leader !== this.#leader
    this.#leader = leader
    // It may not have heard of what this member has applied.
    if (stable.sequence < (this.#applied?.sequence ?? 0) && (isNew || this.#reporting.rested >= REPEAT / 2))
      this.#reporting.soon()
  }

  /** The log is another one, or lost its tail: sequences begin anew. */
  lost(): void {
    this.#times.clear()
    this.#reports.clear()
    this.#applied = null
    this.#told = null
    this.#head = null
    this.#stable = 0
    const { sequences } = this.#options.shared
    sequences[STABLE] = 0
    // Nothing is said of the pool before an entry of the log as it is now was applied.
    sequences[ADMITTED] = UNKNOWN
  }

  /**
   * Resolves when all members have applied an entry.
   * @throws FleetError `Timeout` when that takes longer
   */
  whenStable(sequence: number, milliseconds: number): Promise<void> {
    if (this.#stable >= sequence) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const cancel = this.#options.scheduler.after(milliseconds, () => {
        waiting.settle(new FleetError('Timeout', 'a member of the fleet does not read the log: ask again'))
      })
      const waiting = {
        sequence,
        settle: (error: FleetError | null) => {
          cancel()
          this.#waiting.delete(waiting)
          if (error === null) resolve()
          else reject(error)
        },
      }
      this.#waiting.add(waiting)
    })
  }

  stop(): void {
    this.#isStopped = true
    this.#endListening?.()
    this.#cancelRepeat?.()
    for (const waiting of this.#waiting)
      waiting.settle(new FleetError('Closed', 'this member leaves the fleet'))
  }

  /** Whether it has applied what others may not have. */
  get #isBehind(): boolean {
    return this.#applied !== null && this.#applied.sequence > this.#stable
  }

  #note(entries: readonly EntryPosition[]): void {
    for (const { sequence, time } of entries) this.#times.set(sequence, time)
    this.#applied = entries.at(-1) ?? this.#applied
    this.#lookAtTold()
    for (const sequence of this.#times.keys()) {
      if (this.#times.size <= KNOWN_ENTRIES) return
      this.#times.delete(sequence)
    }
  }

  #lookAtTold(): void {
    if (this.#told !== null && this.#times.get(this.#told.sequence) === this.#told.time)
      this.#becameStable(this.#told.sequence)
  }

  #hearReport({ member, applied, stable }: AppliedReport): void {
    if (!this.#reports.has(member) && this.#reports.size >= MOST_REPORTS) this.#forgetOthers()
    if (!this.#reports.has(member) && this.#reports.size >= MOST_REPORTS) return
    const known = this.#reports.get(member)?.applied ?? 0
    this.#reports.set(member, { applied: known, latest: applied })
    if (!this.#advance() && stable < this.#stable) this.#telling.soon()
  }

  /** Of those that the head does not name. */
  #forgetOthers(): void {
    const named = new Set(this.#head?.members)
    for (const member of this.#reports.keys()) if (!named.has(member)) this.#reports.delete(member)
  }

  /** As the leader: looks how far all are. @returns whether that is further than before */
  #advance(): boolean {
    const head = this.#head
    if (this.#endListening === null || this.#applied === null || head === null) return false
    let least = this.#applied.sequence
    for (const member of head.members) {
      if (member !== this.#options.self) least = Math.min(least, this.#appliedBy(member))
    }
    if (least <= this.#stable || !this.#times.has(least)) return false
    this.#becameStable(least)
    if (head.members.some((member) => member !== this.#options.self)) this.#telling.soon()
    return true
  }

  /** The last entry of this log that a member has applied for certain. */
  #appliedBy(member: MemberId): number {
    const report = this.#reports.get(member)
    if (report === undefined) return 0
    const { applied, latest } = report
    if (latest.sequence <= applied || this.#times.get(latest.sequence) !== latest.time) return applied
    this.#reports.set(member, { applied: latest.sequence, latest })
    return latest.sequence
  }

  #becameStable(sequence: number): void {
    if (sequence <= this.#stable) return
    this.#stable = sequence
    this.#since = this.#options.scheduler.now()
    this.#options.shared.sequences[STABLE] = sequence
    for (const waiting of this.#waiting) if (waiting.sequence <= sequence) waiting.settle(null)
  }

  #report(): void {
    const { self, bus } = this.#options
    if (this.#isStopped || this.#applied === null || this.#endListening !== null) return
    bus.report({ member: self, applied: this.#applied, stable: this.#stable })
  }

  #tell(): void {
    const { self, bus } = this.#options
    if (this.#isStopped || this.#endListening === null) return
    bus.tell({ leader: self, stable: { sequence: this.#stable, time: this.#times.get(this.#stable) ?? 0 } })
  }

  /** As long as something is not stable. */
  #repeat(): void {
    if (this.#cancelRepeat !== null || this.#isStopped || !this.#isBehind) return
    this.#cancelRepeat = this.#options.scheduler.after(REPEAT, () => {
      this.#cancelRepeat = null
      if (this.#isBehind) (this.#endListening === null ? this.#reporting : this.#telling).soon()
      this.#repeat()
    })
  }
}
