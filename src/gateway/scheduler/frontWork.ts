import type { ClientWork, Work } from './clientWork.ts'

/** Requests of one client that are begun in one turn of the event loop. */
const MAX_REQUESTS = 256

/**
 * Requests of a client from which on the end of the turn is waited for. Below it those of earlier turns may count, too:
 * a callback at the end of each turn would cost as much as a tenth of a request that is answered at once.
 */
const COUNTED_FROM = 16

/** Milliseconds that requests of one client take in a turn, those that the native core answers at once left out. */
const CLIENT_MILLISECONDS = 0.5

/** The same of all clients together. Then only those are begun whose client had none in this turn. */
const TURN_MILLISECONDS = 1

/** Milliseconds of work that was put off in a turn: then the thread looks at its sockets again. */
const LATER_MILLISECONDS = 0.25

/** Milliseconds that a client has in a round of the work that was put off. */
const QUANTUM_MILLISECONDS = 0.05

/** Milliseconds below which no work is begun. */
const MIN_MILLISECONDS = 0.01

/**
 * Shares the thread that has the sockets among clients. What a client asks beyond its requests or its time in one turn
 * of the event loop is done in later turns: deficit round robin by the time that it takes (Shreedhar and Varghese), and
 * whoever had nothing waiting is served before the round, as in FQ-CoDel (RFC 8290). Requests that the native core
 * answers at once are only counted: reading a clock for each would take a part of their time.
 */
export class FrontWork {
  #turn = 1
  #isCounting = false
  /** Milliseconds of this turn. */
  #spent = 0
  /** Clients whose work waits, the next one first: those that had nothing waiting, and the others. */
  readonly #returned: ClientWork[] = []
  readonly #round: ClientWork[] = []
  #isScheduled = false
  /** The client whose put-off work is done just now, until when it may go on, and what it leaves for later. */
  #served: ClientWork | null = null
  #servedUntil: number | null = null
  #rest: Work | null = null
  readonly #now: () => number

  /** @param now monotonic milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Clients whose work waits. */
  get waiting(): number {
    return this.#returned.length + this.#round.length
  }

  /** Counts a body of a client; whether it is to be begun in this turn. One that is not goes to {@link later}. */
  admits(client: ClientWork): boolean {
    if (client.turn !== this.#turn) this.#begin(client)
    if (client.waiting > 0 || this.isSpent(client)) return false
    client.requests += 1
    if (client.requests >= COUNTED_FROM) this.#waitForEnd()
    return true
  }

  /** True when a client has nothing left in this turn. */
  isSpent(client: ClientWork): boolean {
    if (client.turn !== this.#turn) return false
    if (client.requests >= MAX_REQUESTS || client.spent >= CLIENT_MILLISECONDS) return true
    return this.#spent >= TURN_MILLISECONDS && client.requests > 0
  }

  /** True when a client has asked for more than it has in this turn. */
  isOver(client: ClientWork): boolean {
    return client.waiting > 0 || this.isSpent(client)
  }

  /** Until when work of a client may go on that begins now. */
  limitOf(client: ClientWork): number {
    if (this.#servedUntil !== null) return this.#servedUntil
    const spent = client.turn === this.#turn ? client.spent : 0
    return this.#now() + Math.max(0, Math.min(CLIENT_MILLISECONDS - spent, TURN_MILLISECONDS - this.#spent))
  }

  /**
   * Counts what was done for a client.
   * @param requests beside the body that {@link admits} has counted
   */
  used(client: ClientWork, requests: number, milliseconds: number): void {
    if (client.turn !== this.#turn) this.#begin(client)
    this.#waitForEnd()
    client.requests += requests
    client.spent += milliseconds
    this.#spent += milliseconds
  }

  /** Puts work of a client off, behind what waits of it; what is left of work that is just done is next. */
  later(client: ClientWork, work: Work): void {
    if (client === this.#served && this.#rest === null) {
      this.#rest = work
      return
    }
    client.add(work)
    if (client.waiting > 1) return
    if (client.servedIn >= this.#turn - 1) this.#round.push(client)
    else {
      client.credit = 0
      this.#returned.push(client)
    }
    this.#schedule()
  }

  #begin(client: ClientWork): void {
    client.turn = this.#turn
    client.requests = 0
    client.spent = 0
  }

  #waitForEnd(): void {
    if (this.#isCounting) return
    this.#isCounting = true
    setImmediate(() => {
      this.#isCounting = false
      this.#turn += 1
      this.#spent = 0
    })
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#doSome())
  }

  #doSome(): void {
    let now = this.#now()
    const end = now + LATER_MILLISECONDS
    while (now < end) {
      const client = this.#returned.shift() ?? this.#round.shift()
      if (client === undefined) break
      now = this.#serve(client, now, end)
    }
    this.#isScheduled = false
    if (this.waiting > 0) this.#schedule()
  }

  /** Does work of a client as long as it has time. @returns the time now */
  #serve(client: ClientWork, began: number, end: number): number {
    client.credit += QUANTUM_MILLISECONDS
    let now = began
    while (client.credit > MIN_MILLISECONDS && now < end) {
      const work = client.next
      if (work === undefined) break
      this.#served = client
      this.#servedUntil = Math.min(end, now + client.credit)
      const isLeft = work(this.#servedUntil)
      this.#served = null
      this.#servedUntil = null
      if (this.#rest !== null) client.replaceNext(this.#rest)
      else if (!isLeft) client.done()
      this.#rest = null
      const after = this.#now()
      client.credit -= after - now
      now = after
    }
    client.servedIn = this.#turn
    if (client.waiting > 0) this.#round.push(client)
    else client.credit = Math.min(0, client.credit)
    return now
  }
}
