import { BATCH_MILLISECONDS } from '../../workers/messages.ts'
import { ClientQueue } from './clientQueue.ts'
import type { LaneLimits } from './lanes.ts'
import type { Ticket } from './ticket.ts'

/** Worker time that each client gets in a round, milliseconds: a batch holds several of them. */
const QUANTUM_MILLISECONDS = 1

/** The least cost of the way to a worker and back, milliseconds: no request is free. */
const MIN_COST_MILLISECONDS = 0.05

/** Share that a request has in what is expected of those of a new client. */
const NEWEST_SHARE = 0.02

/** Figures of a lane for metrics. Totals only grow. */
export interface LaneStats {
  readonly queue: number
  readonly waiting: number
  readonly running: number
  readonly answered: number
  readonly refused: number
  readonly timedOut: number
}

/** Stands for tickets without a client. */
const NOBODY = {}

/**
 * Queue of one lane: deficit round robin over the clients (Shreedhar and Varghese), charged with the time that their
 * requests took at workers. A client that comes back owing nothing is served first, as in FQ-CoDel (RFC 8290), so a
 * client that asks for little does not wait behind one that asks for much.
 */
export class LaneQueue {
  limits: LaneLimits
  running = 0
  answered = 0
  refused = 0
  timedOut = 0
  #waiting = 0
  /** Time that a request of any client takes: what is expected of a new client. */
  #usual = 0
  /** The queues of clients live as long as they do. */
  readonly #clients = new WeakMap<object, ClientQueue>()
  /** Clients that came back owing nothing, the next one first: they are served before the round. */
  readonly #returned: ClientQueue[] = []
  /** The other clients with tickets, the next one first. */
  readonly #round: ClientQueue[] = []
  readonly #now: () => number

  /** @param now monotonic milliseconds */
  constructor(limits: LaneLimits, now: () => number = () => performance.now()) {
    this.limits = limits
    this.#now = now
  }

  get waiting(): number {
    return this.#waiting
  }

  /**
   * Adds a ticket. In a full queue it takes the slot of the newest one of the client that has the most there.
   * @returns the ticket that got no slot, or lost it
   */
  add(ticket: Ticket): Ticket | null {
    const client = this.queueOf(ticket)
    let removed: Ticket | null = null
    if (this.#waiting >= this.limits.queue) {
      this.refused += 1
      const longest = this.#longest()
      // One more of the newcomer must not make it the one with the most.
      if (longest === null || longest.waiting <= client.waiting + 1) return ticket
      removed = longest.removeNewest()
      this.#waiting -= 1
    }
    this.#enter(client)
    client.add(ticket)
    this.#waiting += 1
    return removed
  }

  /** A ticket that waits was settled: its slot is free. */
  settled(ticket: Ticket): void {
    this.queueOf(ticket).settled()
    this.#waiting -= 1
  }

  /** The queue of the client of a ticket. */
  queueOf({ client = NOBODY }: Ticket): ClientQueue {
    let queue = this.#clients.get(client)
    if (queue === undefined) {
      queue = new ClientQueue(client, this.#usual)
      this.#clients.set(client, queue)
    }
    return queue
  }

  /**
   * Takes the tickets of a batch: as many as are work for some milliseconds, at least one.
   * @param most tickets
   * @param mayTake whether a client may have a worker now
   */
  take(most: number, mayTake: (client: ClientQueue) => boolean = () => true): Ticket[] {
    const taken: Ticket[] = []
    const allowed = Math.min(most, this.limits.batch)
    let expected = 0
    while (taken.length < allowed) {
      const client = this.#next(mayTake)
      if (client === null) break
      const cost = Math.max(MIN_COST_MILLISECONDS, client.expected)
      if (taken.length > 0 && expected + cost > BATCH_MILLISECONDS) break
      const ticket = client.take()
      if (client.isEmpty) this.#leave(client)
      if (ticket === null) continue
      client.charge(cost)
      ticket.charged = cost
      this.#waiting -= 1
      taken.push(ticket)
      expected += cost
    }
    this.running += taken.length
    return taken
  }

  /** A ticket came back from a worker. @param milliseconds that it took there; null when nobody knows */
  ended(ticket: Ticket, milliseconds: number | null): void {
    this.running -= 1
    const client = this.queueOf(ticket)
    const { charged } = ticket
    ticket.charged = 0
    if (milliseconds === null) return
    client.charge(Math.max(MIN_COST_MILLISECONDS, milliseconds) - charged)
    client.measured(milliseconds)
    this.#usual += (this.#usual === 0 ? 1 : NEWEST_SHARE) * (milliseconds - this.#usual)
  }

  /**
   * Takes back tickets that no worker began, the first of them first. Those that were settled meanwhile are dropped.
   */
  putBack(tickets: readonly Ticket[]): void {
    for (const ticket of tickets.toReversed()) {
      const client = this.queueOf(ticket)
      client.charge(-ticket.charged)
      ticket.charged = 0
      this.running -= 1
      if (ticket.settled) continue
      this.#enter(client)
      client.putBack(ticket)
      this.#waiting += 1
    }
  }

  stats(): LaneStats {
    const { waiting, running, answered, refused, timedOut } = this
    return { queue: this.limits.queue, waiting, running, answered, refused, timedOut }
  }

  #enter(client: ClientQueue): void {
    if (client.isQueued) return
    client.isQueued = true
    client.returned(this.#now(), QUANTUM_MILLISECONDS)
    if (client.deficit > 0) this.#returned.push(client)
    else this.#round.push(client)
  }

  /** @param client the next one */
  #leave(client: ClientQueue): void {
    this.#queueOfNext().shift()
    client.isQueued = false
    client.left(this.#now())
  }

  /** Brings the client to the front whose next ticket is to be taken; null when none may have a worker. */
  #next(mayTake: (client: ClientQueue) => boolean): ClientQueue | null {
    let best = Number.NEGATIVE_INFINITY
    const count = this.#returned.length + this.#round.length
    for (let passed = 0; passed < count; passed += 1) {
      const client = this.#queueOfNext()[0] as ClientQueue
      const isAllowed = mayTake(client)
      if (isAllowed && client.deficit > 0) return client
      if (client.deficit <= 0) client.credit(QUANTUM_MILLISECONDS, QUANTUM_MILLISECONDS)
      if (isAllowed) best = Math.max(best, client.deficit)
      this.#queueOfNext().shift()
      this.#round.push(client)
    }
    if (best === Number.NEGATIVE_INFINITY) return null
    // All owe more than a round gives: as many rounds at once as it takes until one has time again.
    const rounds = best > 0 ? 0 : Math.floor(-best / QUANTUM_MILLISECONDS) + 1
    if (rounds > 0)
      for (const client of this.#round) client.credit(rounds * QUANTUM_MILLISECONDS, QUANTUM_MILLISECONDS)
    return this.#next(mayTake)
  }

  #queueOfNext(): ClientQueue[] {
    return this.#returned.length > 0 ? this.#returned : this.#round
  }

  #longest(): ClientQueue | null {
    let longest: ClientQueue | null = null
    // Without a list of both: refusals of a full queue must cost little.
    for (const clients of [this.#returned, this.#round]) {
      for (const client of clients) if (longest === null || client.waiting > longest.waiting) longest = client
    }
    return longest
  }
}
