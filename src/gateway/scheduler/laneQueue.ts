import { BATCH_MILLISECONDS } from '../../workers/messages.ts'
import { ClientQueue } from './clientQueue.ts'
import type { LaneLimits } from './lanes.ts'
import { MovingMean } from './movingMean.ts'
import type { Ticket } from './ticket.ts'

/** Figures of a lane for metrics. Totals only grow. */
export interface LaneStats {
  readonly permits: number
  readonly queue: number
  readonly waiting: number
  readonly running: number
  readonly answered: number
  readonly refused: number
  readonly timedOut: number
}

/** Stands for tickets without an owner. */
const NOBODY = {}

/**
 * Queue of one lane with its permits. Owners take turns, each with its own requests in the order in which they
 * came: one that asks for much waits behind itself, and not in front of the others.
 */
export class LaneQueue {
  limits: LaneLimits
  running = 0
  answered = 0
  refused = 0
  timedOut = 0
  #waiting = 0
  /** Time that a request takes at a worker, of all owners: what is expected of an owner of whom nothing is known. */
  readonly #usual = new MovingMean()
  /** What is known of owners lives as long as they do. */
  readonly #shares = new WeakMap<object, ClientQueue>()
  /** Shares with tickets, the next one first. */
  readonly #turns: ClientQueue[] = []

  constructor(limits: LaneLimits) {
    this.limits = limits
  }

  get waiting(): number {
    return this.#waiting
  }

  /**
   * Adds a ticket. In a full queue it takes the place of the newest one of whoever has the most there.
   * @returns the ticket that found no place, or lost it
   */
  add(ticket: Ticket): Ticket | null {
    const share = this.shareOf(ticket)
    let removed: Ticket | null = null
    if (this.#waiting >= this.limits.queue) {
      this.refused += 1
      const longest = this.#longest()
      // One more of the newcomer must not make it the one with the most.
      if (longest === null || longest.waiting <= share.waiting + 1) return ticket
      removed = longest.removeNewest()
      this.#waiting -= 1
    }
    if (!share.hasTurn) this.#turns.push(share)
    share.hasTurn = true
    share.add(ticket)
    this.#waiting += 1
    return removed
  }

  /** A ticket that waits was settled: its place is free. */
  settled(ticket: Ticket): void {
    this.shareOf(ticket).settled()
    this.#waiting -= 1
  }

  /** What belongs to the owner of a ticket. */
  shareOf({ owner = NOBODY }: Ticket): ClientQueue {
    let share = this.#shares.get(owner)
    if (share === undefined) {
      share = new ClientQueue(owner, this.#usual.value)
      this.#shares.set(owner, share)
    }
    return share
  }

  /**
   * Takes unsettled tickets for which there are permits, one of each owner by turns, as many as are work for some
   * milliseconds, at least one.
   * @param most tickets
   * @param mayTake whether it may be the turn of a share
   */
  take(most: number, mayTake: (share: ClientQueue) => boolean = () => true): Ticket[] {
    const taken: Ticket[] = []
    const allowed = Math.min(most, this.limits.batch, this.limits.permits - this.running)
    let expected = 0
    let passed = 0
    while (taken.length < allowed && passed < this.#turns.length) {
      const share = this.#turns[0] as ClientQueue
      if (taken.length > 0 && expected + share.milliseconds > BATCH_MILLISECONDS) break
      if (!mayTake(share)) {
        this.#nextTurn()
        passed += 1
        continue
      }
      const ticket = share.take()
      if (share.isEmpty) {
        this.#turns.shift()
        share.hasTurn = false
      } else this.#nextTurn()
      if (ticket === null) continue
      this.#waiting -= 1
      taken.push(ticket)
      expected += share.milliseconds
      passed = 0
    }
    this.running += taken.length
    return taken
  }

  /** A ticket's request took so long at a worker. */
  ran(ticket: Ticket, milliseconds: number): void {
    this.#usual.add(milliseconds)
    this.shareOf(ticket).ran(milliseconds)
  }

  /** Takes back tickets that were taken and have no answer, the first of them first. */
  putBack(tickets: readonly Ticket[]): void {
    for (const ticket of tickets.toReversed()) {
      const share = this.shareOf(ticket)
      if (!share.hasTurn) this.#turns.unshift(share)
      share.hasTurn = true
      share.putBack(ticket)
      this.#waiting += 1
    }
  }

  stats(): LaneStats {
    const { waiting, running, answered, refused, timedOut } = this
    const { permits, queue } = this.limits
    return { permits, queue, waiting, running, answered, refused, timedOut }
  }

  #nextTurn(): void {
    if (this.#turns.length < 2) return
    const share = this.#turns.shift()
    if (share !== undefined) this.#turns.push(share)
  }

  #longest(): ClientQueue | null {
    let longest: ClientQueue | null = null
    for (const share of this.#turns) {
      if (longest === null || share.waiting > longest.waiting) longest = share
    }
    return longest
  }
}
