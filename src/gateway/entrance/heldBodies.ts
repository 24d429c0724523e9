import { RpcError } from '../../rpc/errors.ts'
import type { Caller } from '../access/caller.ts'
import type { Exchange } from '../exchange.ts'

/** Bytes of the bodies that wait, of all clients together. */
const MAX_BYTES = 64 * 1024 * 1024

/** The bytes that a waiting body takes beside its own: the exchange, the caller, the place in the queue. */
const OVERHEAD_BYTES = 512

/** Bodies that are answered in one turn of the event loop once they may be: the thread also has to read sockets. */
const ANSWERED_IN_TURN = 256

/** Answers a body. The bytes are not kept beyond the call. */
export type BodySink = (body: ArrayBuffer | Buffer, caller: Caller, exchange: Exchange) => void

/** A body that waits. */
export interface HeldBody {
  readonly body: Buffer
  readonly caller: Caller
  readonly exchange: Exchange
  /** Bytes that it counts in the sum of what waits. */
  readonly bytes: number
}

/** Bounds the bytes of bodies that wait, in the memory of each client and in sum. */
export class HeldBytes {
  readonly #most: number
  #used = 0

  /** @param most bytes of all clients together */
  constructor(most: number = MAX_BYTES) {
    this.#most = most
  }

  /** Bytes of what waits. */
  get used(): number {
    return this.#used
  }

  /** Copies a body that is to wait; the error to answer with where there is no room: -32005. */
  keep(body: ArrayBuffer | Buffer, caller: Caller, exchange: Exchange): HeldBody | RpcError {
    const bytes = body.byteLength + OVERHEAD_BYTES
    if (this.#used + bytes > this.#most) {
      return new RpcError('limited', 'too many requests wait for a block, try again later')
    }
    // Given back with the exchange.
    if (exchange.hold?.(bytes) === false) {
      caller.account.refusedMemory()
      return caller.account.memory.refusal(bytes)
    }
    this.#used += bytes
    const copy = Buffer.from(body instanceof Uint8Array ? body : new Uint8Array(body))
    return { body: copy, caller, exchange, bytes }
  }

  /** A body waits no more. */
  release({ bytes }: HeldBody): void {
    this.#used -= bytes
  }
}

/** Bodies that wait, answered in the order in which they came, a bounded number in each turn of the event loop. */
export class HeldBodies {
  readonly #held: HeldBytes
  readonly #answer: BodySink
  #waiting: HeldBody[] = []
  /** Place of the next one: what was answered is cut off now and then. */
  #next = 0
  #isOpen = false
  #isScheduled = false

  constructor(held: HeldBytes, answer: BodySink) {
    this.#held = held
    this.#answer = answer
  }

  /** Bodies that wait. */
  get size(): number {
    return this.#waiting.length - this.#next
  }

  /** Has a body wait behind the others; the error to answer with where there is no room. */
  add(body: ArrayBuffer | Buffer, caller: Caller, exchange: Exchange): RpcError | null {
    const kept = this.#held.keep(body, caller, exchange)
    if (kept instanceof RpcError) return kept
    this.#waiting.push(kept)
    return null
  }

  /** Has them wait from now on. */
  close(): void {
    this.#isOpen = false
  }

  /** Answers them until {@link close}. */
  open(): void {
    this.#isOpen = true
    this.#answerSome()
  }

  #answerSome(): void {
    for (let i = 0; i < ANSWERED_IN_TURN && this.#isOpen; i += 1) {
      const next = this.#waiting[this.#next]
      if (next === undefined) break
      this.#next += 1
      this.#held.release(next)
      if (!next.exchange.gone) this.#answer(next.body, next.caller, next.exchange)
    }
    this.#waiting = this.#waiting.slice(this.#next)
    this.#next = 0
    if (!this.#isOpen || this.#waiting.length === 0 || this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      if (this.#isOpen) this.#answerSome()
    })
  }
}
