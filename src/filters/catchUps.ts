import { createBloomTest, type LogCriteria } from '../chain/logs/logCriteria.ts'
import type { BlockReference } from '../chain/tables/blockKey.ts'
import { LogSubscriptions } from '../native/logSubscriptions.ts'
import { ChainWalk } from './chainWalk.ts'
import type { EventConnection } from './eventConnection.ts'
import type { EventSources, EventTexts } from './events.ts'
import { EventFrame } from './frame.ts'
import { storedLogs } from './storedLogs.ts'

/** Events between the block that a subscription begins at and the head, at most: some 16 hours of the main network. */
export const MAX_CATCH_UP_EVENTS = 2000

/** Bytes that wait for a client, above which it gets nothing more until it has read. */
const MAX_WAITING_BYTES = 256 * 1024
/**
 * Work of one turn of the event loop for all that catch up, in looks at a header, about 10 µs each. A block whose logs
 * are read counts as many.
 */
const TURN_WORK = 64
const READ_WORK = 16
/** Close code of a server that cannot go on (RFC 6455 §7.4.1). */
const CANNOT_GO_ON = 1011

/** A subscription that receives what happened before it goes live. */
export interface CatchingUp {
  readonly handle: string
  readonly connection: EventConnection
  /** null for headers. */
  readonly criteria: LogCriteria | null
}

interface CatchUp {
  readonly subscription: CatchingUp
  readonly walk: ChainWalk
  /** Its criteria alone; null for headers. */
  readonly logs: LogSubscriptions | null
  readonly mayMatch: ((bloom: Buffer) => boolean) | null
  /** True when its client has to read first. */
  waits: boolean
}

/** The parts that {@link CatchUps} needs. */
export interface CatchUpsOptions extends EventSources {
  readonly events: EventTexts
  /** The head up to which live subscribers have been notified; null while nobody was notified of any. */
  readonly announced: () => Buffer | null
  /** The subscription has been sent everything up to that head. */
  readonly onLive: (subscription: CatchingUp) => void
}

/**
 * Subscriptions with `fromBlock` until they have been sent what happened since that block (decisions.md D68). A few blocks
 * are read in a turn of the event loop, round robin, and none for a client that does not read. A subscription goes live
 * when it stands on the head that live subscribers were notified of, which may be behind the store's for a moment.
 */
export class CatchUps {
  readonly #options: CatchUpsOptions
  readonly #catchUps = new Map<CatchingUp, CatchUp>()
  /** In the order in which they have their turns. */
  readonly #due = new Set<CatchUp>()
  #isScheduled = false

  constructor(options: CatchUpsOptions) {
    this.#options = options
  }

  /** Begins behind a block; the first event comes in a later turn of the event loop, after the answer with the id. */
  add(subscription: CatchingUp, from: BlockReference): void {
    const { criteria } = subscription
    const logs = criteria === null ? null : new LogSubscriptions(this.#options.encodedObjects)
    if (criteria !== null) logs?.add(0, criteria)
    const catchUp = {
      subscription,
      walk: new ChainWalk(this.#options.chain, from),
      logs,
      mayMatch: criteria === null ? null : createBloomTest(criteria),
      waits: false,
    }
    this.#catchUps.set(subscription, catchUp)
    this.#schedule(catchUp)
  }

  /** True when it was there. */
  remove(subscription: CatchingUp): boolean {
    return this.#catchUps.delete(subscription)
  }

  /** The announced head is another one. */
  headChanged(): void {
    for (const catchUp of this.#catchUps.values()) this.#schedule(catchUp)
  }

  #schedule(catchUp: CatchUp): void {
    if (catchUp.waits) return
    this.#due.add(catchUp)
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#turn())
  }

  #turn(): void {
    this.#isScheduled = false
    if (this.#catchUps.size === 0) {
      this.#due.clear()
      return
    }
    this.#options.takeSnapshot?.()
    let work = 0
    // What a step adds again comes last.
    for (const catchUp of this.#due) {
      if (work >= TURN_WORK) break
      this.#due.delete(catchUp)
      work += this.#step(catchUp)
    }
    for (const next of this.#due) {
      this.#schedule(next)
      break
    }
  }

  /** Tells of one block. @returns the work that it was */
  #step(catchUp: CatchUp): number {
    const { subscription, walk } = catchUp
    const { connection } = subscription
    if (this.#catchUps.get(subscription) !== catchUp) return 1
    if ((connection.waiting ?? 0) > MAX_WAITING_BYTES) {
      catchUp.waits = true
      connection.whenRead?.(() => {
        catchUp.waits = false
        this.#schedule(catchUp)
      })
      return 1
    }
    const announced = this.#options.announced()
    if (announced?.equals(walk.at.hash) === true) {
      this.#catchUps.delete(subscription)
      this.#options.onLive(subscription)
      return 1
    }
    try {
      const event = walk.next()
      // The store's head is announced to all, and then here.
      if (event === null) return 1
      this.#due.add(catchUp)
      return this.#send(catchUp, event, event.removed)
    } catch {
      // What a rewind took away, or what is not kept any more: going on would leave a gap.
      this.#catchUps.delete(subscription)
      connection.end?.(CANNOT_GO_ON, 'blocks since fromBlock are gone')
      return 1
    }
  }

  #send({ subscription, logs, mayMatch }: CatchUp, block: BlockReference, removed: boolean): number {
    const { chain, events } = this.#options
    const { connection, handle } = subscription
    const header = chain.storedHeader(block.hash)
    if (header === null) throw new RangeError(`block ${block.number} is not stored any more`)
    if (logs === null || mayMatch === null) {
      if (!removed) connection.notify(new EventFrame(events.header(header)).for(handle))
      return 1
    }
    const bloom = header.fields.logsBloom ?? null
    if (bloom !== null && !mayMatch(bloom)) return 1
    for (const { text } of logs.find(block, removed, () => storedLogs(chain, block))) {
      connection.notify(new EventFrame(text).for(handle))
    }
    return READ_WORK
  }
}
