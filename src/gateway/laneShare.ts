import type { Ticket } from './ticket.ts'

/** Tickets below this place are dropped from the array at once, so that taking stays cheap. */
const COMPACT_AT = 1024

/** How much the newest request counts in the mean of its owner's. */
const NEWEST = 0.2

/** What one owner has in a lane: its requests in order, and how long they take. */
export class LaneShare {
  readonly owner: object
  /** Time that a request of the owner takes at a worker: a moving mean. */
  milliseconds = 0
  #tickets: (Ticket | undefined)[] = []
  #first = 0

  constructor(owner: object) {
    this.owner = owner
  }

  get waiting(): number {
    return this.#tickets.length - this.#first
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
      if (ticket !== undefined && !ticket.settled) found = ticket
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

  /** Takes the newest ticket out again. There must be one. */
  removeNewest(): Ticket {
    const ticket = this.#tickets.pop()
    if (ticket === undefined) throw new Error('no ticket waits')
    return ticket
  }

  /** Notes how long a request took at a worker. */
  ran(milliseconds: number): void {
    this.milliseconds += NEWEST * (milliseconds - this.milliseconds)
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
