import type { PeerMessage } from '../messages/rskMessage.ts'
import type { PeerAccount } from './peerMemory.ts'
import { isQuestion } from './pendingRequests.ts'

/** Messages of a peer that may wait (p2p.md §4 Limits). */
const MAX_MESSAGES = 2000

/** Queued bytes above which the connection is not read any more. */
const PAUSE_BYTES = 4 * 1024 * 1024

/** Overhead of a message, bytes. */
const OVERHEAD_BYTES = 512

/** Dependencies of an {@link Inbox}. */
export interface InboxParts {
  readonly memory: PeerAccount
  /** Handles a message; the next one waits for that. An exception is an internal error. */
  readonly deliver: (message: PeerMessage) => void | Promise<void>
  /** True when responses have to be sent before the next request is processed. */
  readonly mustWait: () => boolean
  /** Called with what {@link deliver} threw. */
  readonly onFault: (error: unknown) => void
}

interface Waiting {
  readonly message: PeerMessage
  readonly bytes: number
}

/**
 * Queue of the messages of a peer, processed one by one. Requests wait until their responses fit and let
 * others pass meanwhile; apart from that the order is preserved.
 */
export class Inbox {
  readonly #parts: InboxParts
  readonly #questions: Waiting[] = []
  readonly #others: Waiting[] = []
  #bytes = 0
  #dropped = 0
  #isBusy = false
  #isClosed = false
  #pause: { readonly promise: Promise<void>; readonly end: () => void } | null = null

  constructor(parts: InboxParts) {
    this.#parts = parts
  }

  /** Dropped messages. */
  get dropped(): number {
    return this.#dropped
  }

  /** Messages that wait. */
  get size(): number {
    return this.#questions.length + this.#others.length
  }

  /** True when a message would be accepted. @param length bytes of its payload */
  hasCapacity(length: number): boolean {
    return this.size < MAX_MESSAGES && this.#parts.memory.fits(length + OVERHEAD_BYTES)
  }

  /**
   * Queues a message, or drops it where too much waits.
   * @param length bytes of its payload
   * @returns what the connection waits for before it reads on; undefined when it need not wait
   */
  push(message: PeerMessage, length: number): Promise<void> | undefined {
    const bytes = length + OVERHEAD_BYTES
    if (this.#isClosed) return undefined
    if (this.size >= MAX_MESSAGES || !this.#parts.memory.take(bytes)) {
      this.#dropped += 1
      return this.#pause?.promise
    }
    this.#bytes += bytes
    const queue = isQuestion(message) ? this.#questions : this.#others
    queue.push({ message, bytes })
    if (!this.#isBusy) void this.#run()
    return this.#paused()
  }

  /** Checks again whether a request can be processed. */
  wake(): void {
    if (!this.#isBusy && !this.#isClosed) void this.#run()
  }

  /** Drops all queued messages. */
  close(): void {
    this.#isClosed = true
    this.#questions.length = 0
    this.#others.length = 0
    this.#resume()
  }

  async #run(): Promise<void> {
    this.#isBusy = true
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      try {
        const work = this.#parts.deliver(next.message)
        if (work !== undefined) await work
      } catch (error) {
        this.#parts.onFault(error)
      }
      this.#bytes -= next.bytes
      this.#parts.memory.release(next.bytes)
      if (this.#bytes < PAUSE_BYTES) this.#resume()
    }
    this.#isBusy = false
  }

  #next(): Waiting | undefined {
    if (this.#isClosed) return undefined
    return this.#others.shift() ?? (this.#parts.mustWait() ? undefined : this.#questions.shift())
  }

  #paused(): Promise<void> | undefined {
    if (this.#bytes < PAUSE_BYTES) return undefined
    if (this.#pause === null) {
      let end: () => void = () => undefined
      const promise = new Promise<void>((resolve) => {
        end = resolve
      })
      this.#pause = { promise, end }
    }
    return this.#pause.promise
  }

  #resume(): void {
    this.#pause?.end()
    this.#pause = null
  }
}
