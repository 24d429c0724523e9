import type { Connection } from '../connection/connection.ts'
import type { EncodedMessage } from '../messages/rskCodec.ts'
import { MAX_FRAME_BYTES } from '../wire/frameWriter.ts'
import type { MinuteAllowance } from './minuteAllowance.ts'
import type { PeerAccount } from './peerMemory.ts'
import type { Scheduler } from './scheduler.ts'

/** Buffered bytes of the socket above which no more is written to it. */
const SOCKET_BYTES = 256 * 1024

/**
 * Queued bytes and messages, here and in the socket, above which no further request of the peer is processed.
 */
const FULL_BYTES = 1024 * 1024
const FULL_MESSAGES = 16

/** Time without progress of the socket after which the connection has stalled, milliseconds. */
const STALL_MS = 60_000

/** Poll interval of a queue that is not empty, milliseconds. */
const TICK_MS = 20

/** Urgency of a message: requests and responses follow the pace of the peer, the rest is sent at once. */
export type Urgency = 'atOnce' | 'paced'

/** Dependencies of an {@link Outbox}. */
export interface OutboxParts {
  readonly connection: Connection
  /** Null where the other end does not count messages. */
  readonly allowance: MinuteAllowance | null
  /** Memory limits of queued output, and of the peer in total. */
  readonly outgoing: PeerAccount
  readonly memory: PeerAccount
  readonly scheduler: Scheduler
  /** Called when the other end has read nothing for too long. */
  readonly onStall: () => void
  /** Called when requests of the peer can be processed again. */
  readonly onCapacity: () => void
}

/**
 * Output queue of a peer: it sends no faster than the peer processes, and never holds more bytes than an
 * account allows.
 */
export class Outbox {
  readonly #parts: OutboxParts
  readonly #urgent: EncodedMessage[] = []
  readonly #paced: EncodedMessage[] = []
  #queuedBytes = 0
  /** Bytes that the accounts have for what waits here and in the socket. */
  #charged = 0
  #dropped = 0
  #isAnswerNext = false
  #isAwaited = false
  #movedAt: number
  #takenBytes = 0
  #handedBytes = 0
  #cancelTimer: (() => void) | null = null
  #isClosed = false

  constructor(parts: OutboxParts) {
    this.#parts = parts
    this.#movedAt = parts.scheduler.now()
  }

  /** Dropped messages. */
  get dropped(): number {
    return this.#dropped
  }

  /** Requests that may be sent now. */
  get allowance(): number {
    const { allowance, connection } = this.#parts
    if (this.#isClosed || connection.bufferedBytes >= SOCKET_BYTES) return 0
    if (allowance === null) return Number.POSITIVE_INFINITY
    return this.#paced.length > 0 && this.#isAnswerNext ? 0 : allowance.paced
  }

  /**
   * Whether so much is queued that the peer's next request should wait; the end of this state is announced.
   */
  mustWait(): boolean {
    this.#isAwaited ||= this.#isFull
    return this.#isFull
  }

  get #isFull(): boolean {
    return (
      this.#paced.length >= FULL_MESSAGES ||
      this.#queuedBytes + this.#parts.connection.bufferedBytes >= FULL_BYTES
    )
  }

  /** Sends a request now; false when none may be sent. */
  ask(frame: EncodedMessage): boolean {
    if (this.allowance < 1 || !this.#charge(frame.payload.length)) return false
    if (this.#parts.allowance?.takePaced() === false) return false
    // Requests and waiting responses alternate, so that neither starves the other.
    this.#isAnswerNext = true
    this.#hand(frame)
    this.#pump()
    return true
  }

  /** Sends, now or when the peer can take it; false when too much waits: then it is dropped. */
  push(frame: EncodedMessage, urgency: Urgency): boolean {
    if (this.#isClosed || !this.#charge(frame.payload.length)) {
      this.#dropped += 1
      return false
    }
    this.#queuedBytes += frame.payload.length
    if (urgency === 'atOnce') this.#urgent.push(frame)
    else this.#paced.push(frame)
    this.#pump()
    return true
  }

  /** Drops the queue; nothing is sent any more. */
  close(): void {
    this.#isClosed = true
    this.#cancelTimer?.()
    this.#urgent.length = 0
    this.#paced.length = 0
    this.#queuedBytes = 0
  }

  #pump(): void {
    if (this.#isClosed) return
    this.#drain(this.#urgent, () => this.#parts.allowance?.takeAny() ?? true)
    this.#drain(this.#paced, () => this.#mayAnswer())
    this.#settle()
    if (this.#isAwaited && !this.#isFull) {
      this.#isAwaited = false
      this.#parts.onCapacity()
    }
    this.#watch()
  }

  #drain(queue: EncodedMessage[], mayGo: () => boolean): void {
    let gone = 0
    for (const frame of queue) {
      if (this.#parts.connection.bufferedBytes >= SOCKET_BYTES || !mayGo()) break
      gone += 1
      this.#queuedBytes -= frame.payload.length
      if (queue === this.#paced) this.#isAnswerNext = false
      this.#hand(frame)
    }
    queue.splice(0, gone)
  }

  /** Takes the allowance for a response. One is left to requests, unless the last message was a request. */
  #mayAnswer(): boolean {
    const { allowance } = this.#parts
    if (allowance === null) return true
    return allowance.paced >= (this.#isAnswerNext ? 1 : 2) && allowance.takePaced()
  }

  #hand(frame: EncodedMessage): void {
    if (this.#parts.connection.bufferedBytes === 0) this.#movedAt = this.#parts.scheduler.now()
    this.#handedBytes += frame.payload.length
    this.#parts.connection.send(frame.code, frame.payload)
  }

  #charge(bytes: number): boolean {
    this.#settle()
    const { outgoing, memory } = this.#parts
    // With its code it has to fit into a frame (p2p.md §2).
    if (bytes >= MAX_FRAME_BYTES) return false
    if (!outgoing.take(bytes)) return false
    if (!memory.take(bytes)) {
      outgoing.release(bytes)
      return false
    }
    this.#charged += bytes
    return true
  }

  /** Releases the bytes that the socket has sent. */
  #settle(): void {
    const waiting = this.#queuedBytes + this.#parts.connection.bufferedBytes
    const left = this.#charged - waiting
    if (left <= 0) return
    this.#charged -= left
    this.#parts.outgoing.release(left)
    this.#parts.memory.release(left)
  }

  /** Polls while the queue is not empty. */
  #watch(): void {
    const { connection, scheduler } = this.#parts
    const taken = this.#handedBytes - connection.bufferedBytes
    if (taken > this.#takenBytes) {
      this.#takenBytes = taken
      this.#movedAt = scheduler.now()
    }
    if (connection.bufferedBytes > 0 && scheduler.now() - this.#movedAt > STALL_MS) {
      this.#parts.onStall()
      return
    }
    if (this.#cancelTimer !== null || this.#isClosed) return
    if (this.#urgent.length + this.#paced.length === 0 && connection.bufferedBytes === 0) return
    this.#cancelTimer = scheduler.after(TICK_MS, () => {
      this.#cancelTimer = null
      this.#pump()
    })
  }
}
