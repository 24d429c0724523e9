import type { HttpResponse } from 'uWebSockets.js'
import type { MemoryAccount, Reclaimable } from '../gateway/access/memoryAccount.ts'
import type { AnswerStream } from '../gateway/exchange.ts'
import { type AnswerPacer, PIECE_BYTES, type Sending } from './answerPacer.ts'

/** Receiver of the pieces of an answer. */
export interface PacedTarget {
  readonly response: HttpResponse
  readonly pacer: AnswerPacer
  /** The client that asked for the answer. */
  readonly client: object
  /** Memory of the client; null where nobody counts. */
  readonly memory: MemoryAccount | null
  /** Ends the connection. */
  abort(): void
  /** True when the client is gone, after which nothing may be sent. */
  isGone(): boolean
}

/** The unsent part of an answer. It is dropped when other clients need the memory more. */
class WaitingBytes implements Reclaimable {
  readonly account: MemoryAccount
  held = 0
  readonly #abort: () => void

  constructor(account: MemoryAccount, abort: () => void) {
    this.account = account
    this.#abort = abort
    account.total.add(this)
  }

  reclaim(): void {
    this.#abort()
  }

  end(): void {
    this.account.total.remove(this)
  }
}

/** A body of known length, whose head is written. Its memory is taken from the account by whoever makes it. */
export class PacedBody implements Sending {
  isDue = false
  readonly client: object
  readonly #target: PacedTarget
  readonly #pieces: Buffer[]
  readonly #length: number
  readonly #onSent: () => void
  readonly #waiting: WaitingBytes | null
  /** Of the first piece, bytes that were sent. */
  #sent = 0

  /**
   * @param body what is still to be sent
   * @param onSent called when the last byte was handed over
   * @param length bytes of the whole body
   */
  constructor(target: PacedTarget, body: Uint8Array, onSent: () => void, length: number = body.length) {
    const { pacer, response, memory } = target
    this.#waiting = memory && new WaitingBytes(memory, target.abort)
    if (this.#waiting !== null) this.#waiting.held = body.length
    this.client = target.client
    this.#target = target
    this.#pieces = pacer.copy(body)
    this.#length = length
    this.#onSent = onSent
    response.onWritable(() => {
      pacer.add(this)
      return true
    })
    pacer.add(this)
  }

  send(): boolean {
    const { response, pacer, isGone } = this.#target
    const piece = this.#pieces[0]
    if (piece === undefined) return false
    if (isGone()) {
      this.drop()
      return false
    }
    const before = response.getWriteOffset()
    let [isTaken, isDone] = [false, false]
    response.cork(() => {
      const answer = response.tryEnd(piece.subarray(this.#sent), this.#length)
      isTaken = answer[0]
      isDone = answer[1]
    })
    // What the socket did not take is written again.
    this.#sent = isDone ? piece.length : this.#sent + response.getWriteOffset() - before
    if (this.#sent === piece.length) {
      this.#sent = 0
      pacer.giveBack(piece)
      this.#pieces.shift()
    }
    if (isDone) {
      this.#waiting?.end()
      this.#onSent()
    }
    return isTaken && !isDone
  }

  /** To be called when the client is gone. */
  drop(): void {
    this.#waiting?.end()
    for (const piece of this.#pieces.splice(0)) this.#target.pacer.giveBack(piece)
  }
}

/** The handlers of the end of a streamed answer. */
export interface StreamEnds {
  /** Sends the last bytes of all. */
  readonly finish: (last: Uint8Array | string) => void
  /** Breaks off. */
  readonly abort: () => void
}

/** A body of unknown length, whose head is written. */
export class PacedStream implements AnswerStream, Sending {
  isDue = false
  onWritable: (() => void) | undefined = undefined
  readonly client: object
  readonly #target: PacedTarget
  readonly #ends: StreamEnds
  /** Queued, not yet written. */
  readonly #pieces: Buffer[] = []
  readonly #waiting: WaitingBytes | null
  #isEnding = false

  constructor(target: PacedTarget, ends: StreamEnds) {
    this.client = target.client
    this.#target = target
    this.#ends = ends
    this.#waiting = target.memory && new WaitingBytes(target.memory, target.abort)
    target.response.onWritable(() => {
      if (this.#pieces.length > 0) target.pacer.add(this)
      else this.onWritable?.()
      return true
    })
  }

  write(...pieces: readonly Uint8Array[]): boolean {
    if (this.#target.isGone()) return true
    if (this.#pieces.length === 0 && lengthOf(pieces) <= PIECE_BYTES) return this.#write(pieces)
    this.#add(pieces)
    return false
  }

  end(...pieces: readonly Uint8Array[]): void {
    if (this.#target.isGone()) return
    if (this.#pieces.length === 0 && lengthOf(pieces) <= PIECE_BYTES) {
      this.#waiting?.end()
      this.#ends.finish(Buffer.concat(pieces))
      return
    }
    this.#isEnding = true
    this.#add(pieces)
  }

  abort(): void {
    if (!this.#target.isGone()) this.#ends.abort()
  }

  send(): boolean {
    const { isGone } = this.#target
    if (isGone()) this.drop()
    const piece = this.#pieces.shift()
    if (piece === undefined) return false
    const isLast = this.#pieces.length === 0
    if (isLast && this.#isEnding) {
      this.#waiting?.end()
      this.#ends.finish(piece)
    }
    const isTaken = isLast && this.#isEnding ? false : this.#write([piece])
    this.#giveBack(piece)
    if (isLast && isTaken) this.onWritable?.()
    return isTaken && !isLast
  }

  /** To be called when the client is gone. */
  drop(): void {
    this.#waiting?.end()
    for (const piece of this.#pieces.splice(0)) this.#giveBack(piece)
  }

  #giveBack(piece: Buffer): void {
    this.#target.pacer.giveBack(piece)
    if (this.#waiting === null) return
    this.#waiting.held -= piece.length
    this.#waiting.account.release(piece.length)
  }

  #write(pieces: readonly Uint8Array[]): boolean {
    const { response } = this.#target
    let isTaken = true
    response.cork(() => {
      for (const piece of pieces) isTaken = response.write(piece)
    })
    return isTaken
  }

  /** Copies pieces to the queue: the next answer may reuse their memory before they are written. */
  #add(pieces: readonly Uint8Array[]): void {
    const { pacer, abort } = this.#target
    if (this.#waiting !== null) {
      const bytes = lengthOf(pieces)
      if (!this.#waiting.account.take(bytes)) {
        abort()
        return
      }
      this.#waiting.held += bytes
    }
    for (const piece of pieces) this.#pieces.push(...pacer.copy(piece))
    pacer.add(this)
  }
}

function lengthOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0)
}
