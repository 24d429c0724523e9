import { BATCH_MILLISECONDS } from '../../workers/messages.ts'
import type { Ticket } from './ticket.ts'

/** Tickets in front that were taken are dropped from the array at once, so that taking stays cheap. */
const COMPACT_AT = 1024

/** Settled tickets that are left where they are, as long as they are not the most. */
const MAX_SETTLED_KEPT = 64

/** Share that the newest time of a request has in what is expected of the next one. */
const NEWEST_SHARE = 0.2

/** Most worker time that a client can owe, milliseconds: one long request must not shut it out for good. */
const MAX_DEBT_MILLISECONDS = 1000

/** The requests of one client in a lane, in order, with its account of worker time. */
export class ClientQueue {
  readonly client: object
  /** True when it is among the queues of the lane that are served by turns. */
  isQueued = false
  /** Worker time that it may still use before others are served, milliseconds; below zero it owes as much. */
  #deficit = 0
  /** Time on the monotonic clock until which the deficit is settled. */
  #settledAt = 0
  #expected: number
  #isMeasured = false
  #tickets: (Ticket | undefined)[] = []
  #first = 0
  /** Tickets that were settled while they waited. */
  #settled = 0

  /** @param expected milliseconds that a request is expected to take at a worker until one was measured */
  constructor(client: object, expected: number) {
    this.client = client
    this.#expected = expected
  }

  /** Milliseconds that the next request is expected to take at a worker: a moving mean of those before. */
  get expected(): number {
    return this.#expected
  }

  /** True when the next request may fill a batch. As long as none was measured any may. */
  get mayBeLong(): boolean {
    return !this.#isMeasured || this.#expected >= BATCH_MILLISECONDS
  }

  get deficit(): number {
    return this.#deficit
  }

  /** Tickets that wait for an answer. */
  get waiting(): number {
    return this.#tickets.length - this.#first - this.#settled
  }

  /** True when there is nothing to be taken, not even what was settled since it came. */
  get isEmpty(): boolean {
    return this.#tickets.length === this.#first
  }

  /** Adds worker time that it may use. @param most milliseconds that it may have then */
  credit(milliseconds: number, most: number): void {
    this.#deficit = Math.min(most, this.#deficit + milliseconds)
  }

  /** Takes worker time from what it may use; below zero gives it back. */
  charge(milliseconds: number): void {
    this.#deficit = Math.max(-MAX_DEBT_MILLISECONDS, this.#deficit - milliseconds)
  }

  /** It had nothing to ask for since it was last served: what it owes is forgiven as time goes by. */
  returned(now: number, most: number): void {
    this.credit(Math.max(0, now - this.#settledAt), most)
    this.#settledAt = now
  }

  /** Its last request was taken. */
  left(now: number): void {
    this.#settledAt = now
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
    if (this.#settled <= MAX_SETTLED_KEPT || this.#settled <= this.waiting) return
    this.#tickets = this.#tickets.slice(this.#first).filter((ticket) => ticket?.settled === false)
    this.#first = 0
    this.#settled = 0
  }

  /** A request took so long at a worker. */
  measured(milliseconds: number): void {
    this.#expected += (this.#isMeasured ? NEWEST_SHARE : 1) * (milliseconds - this.#expected)
    this.#isMeasured = true
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
