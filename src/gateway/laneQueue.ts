import type { LaneLimits } from './lanes.ts'
import type { Ticket } from './ticket.ts'

/** Figures of a lane for metrics. Totals only grow. */
export interface LaneFigures {
  readonly permits: number
  readonly queue: number
  readonly waiting: number
  readonly running: number
  readonly answered: number
  readonly refused: number
  readonly timedOut: number
}

/** Tickets below this place are dropped from the array at once, so that taking stays cheap. */
const COMPACT_AT = 1024

/** First-in first-out queue of one lane with its permits. */
export class LaneQueue {
  limits: LaneLimits
  running = 0
  answered = 0
  refused = 0
  timedOut = 0
  #tickets: (Ticket | undefined)[] = []
  #first = 0

  constructor(limits: LaneLimits) {
    this.limits = limits
  }

  get waiting(): number {
    return this.#tickets.length - this.#first
  }

  /** Adds a ticket; false when the queue is full. */
  add(ticket: Ticket): boolean {
    if (this.waiting >= this.limits.queue) {
      this.refused += 1
      return false
    }
    this.#tickets.push(ticket)
    return true
  }

  /** Takes up to `most` unsettled tickets for which there are permits. */
  take(most: number): Ticket[] {
    const taken: Ticket[] = []
    const allowed = Math.min(most, this.limits.batch, this.limits.permits - this.running)
    while (taken.length < allowed && this.#first < this.#tickets.length) {
      const ticket = this.#tickets[this.#first]
      this.#tickets[this.#first] = undefined
      this.#first += 1
      if (ticket !== undefined && !ticket.settled) taken.push(ticket)
    }
    this.#compact()
    this.running += taken.length
    return taken
  }

  figures(): LaneFigures {
    const { waiting, running, answered, refused, timedOut } = this
    const { permits, queue } = this.limits
    return { permits, queue, waiting, running, answered, refused, timedOut }
  }

  #compact(): void {
    if (this.#first === this.#tickets.length) {
      this.#tickets = []
      this.#first = 0
    } else if (this.#first >= COMPACT_AT) {
      this.#tickets.splice(0, this.#first)
      this.#first = 0
    }
  }
}
