import { RpcError } from '../../rpc/errors.ts'
import { errorAnswer } from '../../rpc/execute.ts'
import type { RequestPool } from '../../workers/interface.ts'
import type { InterruptTable } from '../../workers/interrupts.ts'
import { NOT_RUN, type PoolAnswer, type PoolRequest } from '../../workers/messages.ts'
import { WorkerEnd } from '../../workers/workerEnd.ts'
import type { ClientQueue } from './clientQueue.ts'
import { LaneQueue, type LaneStats } from './laneQueue.ts'
import { type LaneLimits, POOL_NAMES, type PoolLane, type PoolName } from './lanes.ts'
import type { Ticket } from './ticket.ts'
import { WorkerLimiter } from './workerLimiter.ts'

/** Milliseconds between two looks at deadlines while there are requests. */
const DEADLINE_PERIOD_MILLISECONDS = 50

/**
 * How long after the last deadline of its requests a silent worker is terminated, milliseconds. Its request was
 * interrupted at the deadline and checks for that all the time, so the worker has run into a fault.
 */
const FROZEN_MILLISECONDS = 2000

/** A look that comes so much later than due, milliseconds: this thread stood still itself, as in a stopped process. */
const STOOD_STILL_MILLISECONDS = 500

/** The parts of a dispatcher. */
export interface DispatcherOptions {
  readonly lanes: Readonly<Record<PoolLane, LaneLimits>>
  readonly pools: Readonly<Record<PoolName, RequestPool>>
  readonly interrupts: InterruptTable
  /** Called with the error of each batch that was lost as a whole. */
  readonly onLostBatch: (error: unknown) => void
  /** Milliseconds after the deadline of its requests after which a worker is given up; 2000 unless given. */
  readonly frozenAfter?: number
}

/** A batch at a worker. */
interface RunningBatch {
  /** Time on the monotonic clock, milliseconds, after which its worker is given up. */
  readonly latest: number
  readonly end: WorkerEnd
}

/**
 * Takes requests to the workers. Those that arrive in one tick of the event loop go together: one
 * message per free worker. While all are busy the next batch grows, so load makes batches larger. Lanes of a pool
 * are served by turns, and the clients of a lane by the worker time that they used; a client whose requests are long
 * never has all workers of a pool while another one asks for them.
 */
export class Dispatcher {
  readonly #queues = new Map<PoolLane, LaneQueue>()
  readonly #pools: Readonly<Record<PoolName, RequestPool>>
  readonly #uses: Readonly<Record<PoolName, WorkerLimiter>>
  /** The lanes of each pool, by which they take turns. */
  readonly #queuesOf: Readonly<Record<PoolName, readonly LaneQueue[]>>
  readonly #busy: Record<PoolName, number> = { reads: 0, calls: 0, scans: 0 }
  readonly #interrupts: InterruptTable
  readonly #onLostBatch: (error: unknown) => void
  /** Tickets that wait, or are at a worker. */
  readonly #open = new Set<Ticket>()
  readonly #batches = new Set<RunningBatch>()
  readonly #frozenAfter: number
  /** null while nothing waits or runs. */
  #timer: NodeJS.Timeout | null = null
  #lookedAt = performance.now()
  #scheduled = false
  #lostBatches = 0

  constructor({ lanes, pools, interrupts, onLostBatch, frozenAfter }: DispatcherOptions) {
    for (const [lane, limits] of Object.entries(lanes))
      this.#queues.set(lane as PoolLane, new LaneQueue(limits))
    const queues = [...this.#queues.values()]
    const ofPool = (name: PoolName) => queues.filter(({ limits }) => limits.pool === name)
    this.#queuesOf = { reads: ofPool('reads'), calls: ofPool('calls'), scans: ofPool('scans') }
    this.#pools = pools
    this.#uses = { reads: new WorkerLimiter(), calls: new WorkerLimiter(), scans: new WorkerLimiter() }
    this.#interrupts = interrupts
    this.#onLostBatch = onLostBatch
    this.#frozenAfter = frozenAfter ?? FROZEN_MILLISECONDS
  }

  /** Milliseconds that a request of the lane may take. */
  timeLimit(lane: PoolLane): number {
    return this.#queue(lane).limits.timeLimit
  }

  /** Queues a ticket; its sink gets -32005 at once when the lane is full. */
  submit(lane: PoolLane, ticket: Ticket): void {
    const queue = this.#queue(lane)
    this.#watchDeadlines()
    const refused = queue.add(ticket)
    if (refused !== null) {
      this.#open.delete(refused)
      settle(refused, new RpcError('limited', `the ${lane} lane is full, try again later`))
      if (refused === ticket) return
    }
    this.#open.add(ticket)
    this.#uses[queue.limits.pool].asked(queue.queueOf(ticket).client, this.#lookedAt)
    if (this.#scheduled) return
    this.#scheduled = true
    // After all sockets of this tick were read.
    setImmediate(() => {
      this.#scheduled = false
      for (const name of POOL_NAMES) this.#pump(name)
    })
  }

  /** Drops a ticket that nobody waits for; running work is stopped. */
  cancel(ticket: Ticket): void {
    if (ticket.settled) return
    this.#giveUp(ticket)
    if (ticket.slot >= 0) this.#interrupts.raise(ticket.slot, 'cancelled')
  }

  /** Bounds that count from now on; what waits and runs stays. */
  setLimits(lanes: Readonly<Record<PoolLane, LaneLimits>>): void {
    for (const [lane, limits] of Object.entries(lanes)) this.#queue(lane as PoolLane).limits = limits
  }

  /** Answers everything that waits or runs with an error, and stops what runs. */
  abandon(error: RpcError): void {
    for (const ticket of this.#open) {
      if (ticket.settled) continue
      if (ticket.slot >= 0) this.#interrupts.raise(ticket.slot, 'cancelled')
      this.#giveUp(ticket)
      settle(ticket, error)
    }
  }

  /** Figures per lane. */
  stats(): Record<PoolLane, LaneStats> {
    const stats = [...this.#queues].map(([lane, queue]) => [lane, queue.stats()])
    return Object.fromEntries(stats) as Record<PoolLane, LaneStats>
  }

  /** Batches at the workers of each pool. */
  get busyWorkers(): Readonly<Record<PoolName, number>> {
    return this.#busy
  }

  /** Batches that were lost with their worker. */
  get lostBatches(): number {
    return this.#lostBatches
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }

  /** A node that nobody asks is not woken. */
  #watchDeadlines(): void {
    if (this.#timer !== null) return
    this.#lookedAt = performance.now()
    this.#timer = setInterval(() => this.#expire(), DEADLINE_PERIOD_MILLISECONDS)
    this.#timer.unref()
  }

  #queue(lane: PoolLane): LaneQueue {
    const queue = this.#queues.get(lane)
    if (queue === undefined) throw new Error(`no lane ${lane}`)
    return queue
  }

  /** Gives each free worker of a pool a batch, as long as there are requests. */
  #pump(name: PoolName): void {
    const { capacity } = this.#pools[name]
    const use = this.#uses[name]
    const mayTake = ({ client, mayBeLong }: ClientQueue) =>
      !mayBeLong || use.mayHoldMore(client, capacity, this.#lookedAt)
    const queues = this.#queuesOf[name]
    for (let empty = 0; empty < queues.length && this.#busy[name] < capacity; ) {
      const queue = queues[use.nextLane % queues.length] as LaneQueue
      use.nextLane += 1
      const free = capacity - this.#busy[name]
      const batch = queue.waiting === 0 ? [] : queue.take(Math.ceil(queue.waiting / free), mayTake)
      if (batch.length === 0) empty += 1
      else {
        empty = 0
        void this.#run(name, queue, batch)
      }
    }
  }

  async #run(name: PoolName, queue: LaneQueue, batch: readonly Ticket[]): Promise<void> {
    this.#busy[name] += 1
    const now = performance.now()
    const requests = batch.map((ticket) => this.#start(ticket, now))
    const latest = Math.max(...batch.map(({ deadline }) => deadline)) + this.#frozenAfter
    const running: RunningBatch = { latest, end: new WorkerEnd() }
    this.#batches.add(running)
    const clients = new Set(batch.map((ticket) => queue.queueOf(ticket).client))
    const use = this.#uses[name]
    use.began(clients)
    let answers: readonly PoolAnswer[] | null = null
    try {
      answers = await this.#pools[name].run(requests, running.end)
    } catch (error) {
      this.#lostBatches += 1
      this.#onLostBatch(error)
    }
    this.#batches.delete(running)
    this.#busy[name] -= 1
    use.ended(clients)
    const firstLeft = answers?.findIndex(({ status }) => status === NOT_RUN) ?? -1
    const begun = firstLeft < 0 ? batch : batch.slice(0, firstLeft)
    for (const [i, ticket] of begun.entries()) queue.ended(ticket, answers?.[i]?.milliseconds ?? null)
    if (begun !== batch) this.#takeBack(queue, batch.slice(firstLeft))
    // Workers get their next batch before this one's answers are written to the sockets.
    this.#pump(name)
    for (const [i, ticket] of begun.entries()) this.#finish(queue, ticket, answers?.[i])
  }

  #start(ticket: Ticket, now: number): PoolRequest {
    ticket.startedAt = now
    ticket.slot = this.#interrupts.acquire() ?? -1
    const { method, id, params, preferences } = ticket
    return { method, slot: Math.max(0, ticket.slot), id, params, preferences }
  }

  /** Nothing that a worker says about a ticket counts any more. */
  #giveUp(ticket: Ticket): void {
    ticket.settled = true
    if (ticket.startedAt > 0) return
    this.#open.delete(ticket)
    this.#queue(ticket.lane as PoolLane).settled(ticket)
  }

  /** No worker began these, and those that nobody gave up wait again. */
  #takeBack(queue: LaneQueue, tickets: readonly Ticket[]): void {
    for (const ticket of tickets) {
      this.#freeSlot(ticket)
      ticket.startedAt = 0
      if (ticket.settled) this.#open.delete(ticket)
    }
    queue.putBack(tickets)
  }

  #freeSlot(ticket: Ticket): void {
    if (ticket.slot >= 0) this.#interrupts.release(ticket.slot)
    ticket.slot = -1
  }

  #finish(queue: LaneQueue, ticket: Ticket, answer: PoolAnswer | undefined): void {
    this.#open.delete(ticket)
    this.#freeSlot(ticket)
    if (ticket.settled) return
    queue.answered += 1
    if (answer === undefined) {
      settle(ticket, new RpcError('internal'))
      return
    }
    ticket.settled = true
    ticket.sink(answer.bytes, answer.status, answer.block)
  }

  /** Answers what is over its time with -32011 and stops what runs. */
  #expire(): void {
    // The wall clock may be set while requests run.
    const now = performance.now()
    const late = now - this.#lookedAt - DEADLINE_PERIOD_MILLISECONDS
    this.#lookedAt = now
    if (this.#open.size + this.#batches.size === 0) {
      this.close()
      return
    }
    for (const ticket of this.#open) {
      if (ticket.deadline > now || ticket.settled) continue
      if (ticket.slot >= 0) this.#interrupts.raise(ticket.slot, 'timeLimit')
      this.#giveUp(ticket)
      this.#open.delete(ticket)
      this.#queue(ticket.lane as PoolLane).timedOut += 1
      settle(ticket, new RpcError('overLimit'))
    }
    if (late > STOOD_STILL_MILLISECONDS) return
    for (const { latest, end } of this.#batches) {
      if (latest <= now) end.abort(`no answer ${this.#frozenAfter} ms after the time limit of its requests`)
    }
  }
}

function settle(ticket: Ticket, error: RpcError): void {
  ticket.settled = true
  const { text, status } = errorAnswer(ticket.id, error)
  ticket.sink(text, status)
}
