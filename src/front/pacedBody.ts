import type { HttpResponse } from 'uWebSockets.js'
import type { AnswerStream } from '../gateway/exchange.ts'
import { PIECE_BYTES, type Sending, type SendTurns } from './sendTurns.ts'

/** Where the pieces of an answer go. */
export interface PacedTarget {
  readonly response: HttpResponse
  readonly turns: SendTurns
  /** Whose answer it is. */
  readonly owner: object
  /** Whether the client is gone, after which nothing may be sent. */
  isGone(): boolean
}

/** A body of known length, whose head is written. */
export class PacedBody implements Sending {
  isDue = false
  readonly owner: object
  readonly #target: PacedTarget
  readonly #pieces: Buffer[]
  readonly #length: number
  readonly #onSent: () => void
  /** Of the first piece, bytes that were sent. */
  #sent = 0

  /** @param onSent called when the last byte was handed over */
  constructor(target: PacedTarget, body: Uint8Array, onSent: () => void) {
    const { turns, response } = target
    this.owner = target.owner
    this.#target = target
    this.#pieces = turns.copy(body)
    this.#length = body.length
    this.#onSent = onSent
    response.onWritable(() => {
      turns.add(this)
      return true
    })
    turns.add(this)
  }

  send(): boolean {
    const { response, turns, isGone } = this.#target
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
    // What the socket did not take is offered again.
    this.#sent = isDone ? piece.length : this.#sent + response.getWriteOffset() - before
    if (this.#sent === piece.length) {
      this.#sent = 0
      turns.giveBack(piece)
      this.#pieces.shift()
    }
    if (isDone) this.#onSent()
    return isTaken && !isDone
  }

  /** To be called when the client is gone. */
  drop(): void {
    for (const piece of this.#pieces.splice(0)) this.#target.turns.giveBack(piece)
  }
}

/** What the end of a streamed answer does. */
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
  readonly owner: object
  readonly #target: PacedTarget
  readonly #ends: StreamEnds
  /** What waits for its turn. */
  readonly #pieces: Buffer[] = []
  #isEnding = false

  constructor(target: PacedTarget, ends: StreamEnds) {
    this.owner = target.owner
    this.#target = target
    this.#ends = ends
    target.response.onWritable(() => {
      if (this.#pieces.length > 0) target.turns.add(this)
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
    const { turns, isGone } = this.#target
    if (isGone()) this.drop()
    const piece = this.#pieces.shift()
    if (piece === undefined) return false
    const isLast = this.#pieces.length === 0
    if (isLast && this.#isEnding) this.#ends.finish(piece)
    const isTaken = isLast && this.#isEnding ? false : this.#write([piece])
    turns.giveBack(piece)
    if (isLast && isTaken) this.onWritable?.()
    return isTaken && !isLast
  }

  /** To be called when the client is gone. */
  drop(): void {
    for (const piece of this.#pieces.splice(0)) this.#target.turns.giveBack(piece)
  }

  #write(pieces: readonly Uint8Array[]): boolean {
    const { response } = this.#target
    let isTaken = true
    response.cork(() => {
      for (const piece of pieces) isTaken = response.write(piece)
    })
    return isTaken
  }

  /** Keeps pieces until it is their turn: their memory may be that of the next answer by then. */
  #add(pieces: readonly Uint8Array[]): void {
    const { turns } = this.#target
    for (const piece of pieces) this.#pieces.push(...turns.copy(piece))
    turns.add(this)
  }
}

function lengthOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0)
}
