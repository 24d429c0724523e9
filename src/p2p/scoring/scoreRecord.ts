import {
  type PeerScore,
  SCORE_COUNTERS,
  SCORE_RULES,
  type ScoreCounter,
  type ScoreSubject,
} from './peerScore.ts'
import { punishmentTime } from './punishment.ts'
import type { ScoreEventName } from './scoreEvents.ts'

/** The behaviour of one node or address. Times are milliseconds of a steady clock. */
export class ScoreRecord {
  readonly #subject: ScoreSubject
  #events = noEvents()
  #score = 0
  #punishments = 0
  #punishedUntil: number | null = null

  constructor(subject: ScoreSubject) {
    this.#subject = subject
  }

  /** Below zero after what lowers it; 0 for who did nothing (p2p.md §8). */
  get score(): number {
    return this.#score
  }

  /** True when it is punished now. A punishment that is over leaves nothing but its count. */
  isPunished(now: number): boolean {
    if (this.#punishedUntil === null) return false
    if (now < this.#punishedUntil) return true
    this.#punishedUntil = null
    this.#events = noEvents()
    this.#score = 0
    return false
  }

  /** @param punishes whether punishments are on */
  record(event: ScoreEventName, now: number, punishes: boolean): void {
    const wasPunished = this.isPunished(now)
    const { counter, effect, punished } = SCORE_RULES[event]
    if (counter !== null) this.#events[counter] += 1
    if (effect === 'raises' && this.#score >= 0) this.#score += 1
    if (effect === 'lowers') this.#score = Math.min(0, this.#score) - 1
    if (!punished || !punishes || wasPunished) return
    this.#punishedUntil = now + punishmentTime(this.#subject, this.#punishments, this.#score)
    this.#punishments += 1
  }

  /** @param offset what the machine's clock is ahead of the steady one */
  view(id: string, now: number, offset: number): PeerScore {
    const punished = this.isPunished(now)
    return {
      type: this.#subject,
      id,
      events: { ...this.#events },
      score: this.#score,
      punishments: this.#punishments,
      goodReputation: !punished,
      punishedUntil: punished ? (this.#punishedUntil ?? 0) + offset : 0,
    }
  }
}

function noEvents(): Record<ScoreCounter, number> {
  return Object.fromEntries(SCORE_COUNTERS.map((counter) => [counter, 0])) as Record<ScoreCounter, number>
}
