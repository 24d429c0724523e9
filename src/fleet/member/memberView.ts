import type { FleetBlock } from '../interface.ts'
import type { Announcement } from './announcement.ts'

/** Executed blocks that are kept of a member: a round needs one that all have. */
const MOST_EXECUTED = 4096

/** What others know of a member. */
export class MemberView {
  #announcement: Announcement | null = null
  #pledge = 0
  readonly #executed = new Map<string, FleetBlock>()
  /** Milliseconds since it failed a round; null when it did not, or has spoken since. */
  #failedAt: number | null = null
  #failures = 0
  #heardAt = 0

  /** What it said last; null before. */
  get announcement(): Announcement | null {
    return this.#announcement
  }

  /** When that was, milliseconds. */
  get heardAt(): number {
    return this.#heardAt
  }

  /** Greatest revision under which it begins no request, ever again. */
  get pledge(): number {
    return this.#pledge
  }

  get executed(): Iterable<FleetBlock> {
    return this.#executed.values()
  }

  has(hash: Buffer): boolean {
    return this.#executed.has(hash.toString('hex'))
  }

  hear(announcement: Announcement, now: number): void {
    this.#announcement = announcement
    this.#heardAt = now
    this.pledged(announcement.pledge)
    for (const block of announcement.executed.toReversed()) this.#keep(block)
  }

  pledged(revision: number): void {
    this.#pledge = Math.max(this.#pledge, revision)
  }

  /** It did not prepare for a round. */
  failed(now: number): void {
    this.#failedAt = now
    this.#failures += 1
  }

  prepared(revision: number): void {
    this.pledged(revision)
    this.#failedAt = null
    this.#failures = 0
  }

  /** Whether it did not prepare for the last round that asked it. */
  get hasFailed(): boolean {
    return this.#failedAt !== null
  }

  /** Whether a round may count on it: after a failure it has to have spoken, and each next one makes that later. */
  isReliable(now: number, pause: number): boolean {
    if (this.#failedAt === null) return true
    const after = pause * 2 ** Math.min(this.#failures - 1, LONGEST_PAUSE_DOUBLINGS)
    return this.#heardAt > this.#failedAt && now >= this.#failedAt + after
  }

  /** Forgets blocks that cannot become the head any more. */
  prune(totalDifficulty: bigint): void {
    for (const [key, block] of this.#executed)
      if (block.totalDifficulty <= totalDifficulty) this.#executed.delete(key)
  }

  #keep(block: FleetBlock): void {
    const key = block.hash.toString('hex')
    this.#executed.delete(key)
    this.#executed.set(key, block)
    if (this.#executed.size <= MOST_EXECUTED) return
    for (const oldest of this.#executed.keys()) {
      this.#executed.delete(oldest)
      return
    }
  }
}

const LONGEST_PAUSE_DOUBLINGS = 4
