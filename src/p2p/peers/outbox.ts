import type { Connection } from '../connection/connection.ts'
import type { EncodedMessage } from '../messages/rskCodec.ts'
import { MAX_FRAME_BYTES } from '../wire/frameWriter.ts'
import type { MinuteAllowance } from './minuteAllowance.ts'
import type { PeerAccount } from './peerMemory.ts'
import type { Scheduler } from './scheduler.ts'

/** What waits in the socket before no more is given to it, bytes. */
const SOCKET_BYTES = 256 * 1024

/** What waits here and in the socket before no further question of the peer is looked at: bytes and messages. */
const FULL_BYTES = 1024 * 1024
const FULL_MESSAGES = 16

/** How long nothing may leave although something waits in the socket, milliseconds. */
const STALL_MS = 60_000

/** How often a queue that is not empty is looked at, milliseconds. */
const TICK_MS = 20

/** How urgent a message is: what others wait for goes by the pace of the peer, the rest at once. */
export type Urgency = 'atOnce' | 'paced'

/** Everything that an {@link Outbox} needs. */
export interface OutboxParts {
  readonly connection: Connection
  /** Null where the other end does not count messages. */
  readonly allowance: MinuteAllowance | null
  /** What may wait to be sent, and what may be kept for the peer at all. */
  readonly outgoing: PeerAccount
  readonly memory: PeerAccount
  readonly scheduler: Scheduler
  /** Told that the other end has taken nothing for too long. */
  readonly onStall: () => void
  /** Told that questions of the peer can be looked at again. */
  readonly onRoom: () => void
}

/** Messages on their way to a peer: no faster than it handles them, and never more bytes than an account allows. */
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

  /** Messages that found no room. */
  get dropped(): number {
    return this.#dropped
  }

  /** Questions that may be asked now. */
  get allowance(): number {
    const { allowance, connection } = this.#parts
    if (this.#isClosed || connection.bufferedBytes >= SOCKET_BYTES) return 0
    if (allowance === null) return Number.POSITIVE_INFINITY
    return this.#paced.length > 0 && this.#isAnswerNext ? 0 : allowance.paced
  }

  /** Whether so much waits that the peer's next question should wait, too; then it is told when that is over. */
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

  /** Sends a question now; false when none may be sent. */
  ask(frame: EncodedMessage): boolean {
    if (this.allowance < 1 || !this.#charge(frame.payload.length)) return false
    if (this.#parts.allowance?.takePaced() === false) return false
    // Questions leave the next turn to an answer that waits, so that neither keeps the other out.
    this.#isAnswerNext = true
    this.#hand(frame)
    this.#pump()
    return true
  }

  /** Sends, now or when the peer can take it; false when there is no room: then it is dropped. */
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

  /** Drops what waits; nothing is sent any more. */
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
      this.#parts.onRoom()
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

  /** Takes the allowance for an answer. One is left to questions, unless the last that went was a question. */
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

  /** Gives back what the socket has taken. */
  #settle(): void {
    const waiting = this.#queuedBytes + this.#parts.connection.bufferedBytes
    const left = this.#charged - waiting
    if (left <= 0) return
    this.#charged -= left
    this.#parts.outgoing.release(left)
    this.#parts.memory.release(left)
  }

  /** Looks again later while anything waits. */
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
