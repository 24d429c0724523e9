import { BATCH_MILLISECONDS } from '../../workers/messages.ts'
import { MovingMean } from './movingMean.ts'
import type { Ticket } from './ticket.ts'

/** Tickets below this place are dropped from the array at once, so that taking stays cheap. */
const COMPACT_AT = 1024

/** Settled tickets that are left where they are, as long as they are not the most. */
const SETTLED_KEPT = 64

/** What one owner has in a lane: its requests in order, and how long they take. */
export class ClientQueue {
  readonly owner: object
  /** Whether it is among those that take turns. */
  hasTurn = false
  readonly #mean: MovingMean
  #tickets: (Ticket | undefined)[] = []
  #first = 0
  /** Tickets that were settled while they waited. */
  #settled = 0

  /** @param expected milliseconds that a request is expected to take at a worker as long as none did */
  constructor(owner: object, expected: number) {
    this.owner = owner
    this.#mean = new MovingMean(expected)
  }

  /** Time that a request of the owner takes at a worker. */
  get milliseconds(): number {
    return this.#mean.value
  }

  /** Whether a request of the owner may fill a batch. As long as nothing is known of them any may. */
  get mayBeLong(): boolean {
    return !this.#mean.isKnown || this.milliseconds >= BATCH_MILLISECONDS
  }

  /** Tickets that wait for an answer. */
  get waiting(): number {
    return this.#tickets.length - this.#first - this.#settled
  }

  /** Whether there is nothing to be taken, not even what was settled since it came. */
  get isEmpty(): boolean {
    return this.#tickets.length === this.#first
  }

  add(ticket: Ticket): void {
    this.#tickets.push(ticket)
  }

  /** Takes the oldest ticket that waits for an answer; null when there is none. */
  take(): Ticket | null {
    let found: Ticket | null = null
    while (found === null && this.#first < this.#tickets.length) {
      const ticket = this.#tickets[this.#first]
      this.#tickets[this.#first] = undefined
      this.#first += 1
      if (ticket?.settled === true) this.#settled -= 1
      else found = ticket ?? null
    }
    this.#compact()
    return found
  }

  /** Takes back a ticket that was taken last but has no answer. */
  putBack(ticket: Ticket): void {
    if (this.#first > 0) {
      this.#first -= 1
      this.#tickets[this.#first] = ticket
    } else this.#tickets.unshift(ticket)
  }

  /** Takes the newest ticket that waits out again. There must be one. */
  removeNewest(): Ticket {
    for (;;) {
      const ticket = this.#tickets.pop()
      if (ticket === undefined) throw new Error('no ticket waits')
      if (!ticket.settled) return ticket
      this.#settled -= 1
    }
  }

  /** A ticket that waits was settled. */
  settled(): void {
    this.#settled += 1
    if (this.#settled <= SETTLED_KEPT || this.#settled <= this.waiting) return
    this.#tickets = this.#tickets.slice(this.#first).filter((ticket) => ticket?.settled === false)
    this.#first = 0
    this.#settled = 0
  }

  /** Notes how long a request took at a worker. */
  ran(milliseconds: number): void {
    this.#mean.add(milliseconds)
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
