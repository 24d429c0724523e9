import { RecentClients } from '../gateway/scheduler/recentClients.ts'
import { BlockPool } from './blockPool.ts'

/**
 * Bytes that large answers hand to sockets in one turn of the event loop, all of them together. It takes the thread
 * well below a millisecond, after which it looks at what came in meanwhile.
 */
const TURN_BYTES = 256 * 1024

/** Bytes that one answer hands over before others do: more is not sent faster. */
export const PIECE_BYTES = 64 * 1024

/** Bytes of large answers that one owner gets in a second while somebody else asks: half a gigabit. */
const CONTENDED_RATE = 64 * 1024 * 1024

/** Milliseconds for which somebody who asked counts as asking. */
const ASKS_FOR = 1000
/** How often the clock for that is looked at. */
const TICK = 250

/** How long to wait when nobody may send, milliseconds. */
const PAUSE = 4

/** An answer that is sent in pieces. */
export interface Sending {
  /** Whose it is. */
  readonly owner: object
  /** Whether it is in the turns; theirs to set. */
  isDue: boolean
  /**
   * Hands its next bytes to the socket, at most {@link PIECE_BYTES}.
   * @returns whether it has more that its client takes at once
   */
  send(): boolean
}

/** What an owner may send while others ask: a token bucket. */
interface Allowance {
  bytes: number
  /** Milliseconds of the monotonic clock. */
  at: number
}

/**
 * Large answers take turns: the kernel copies what a socket takes while the thread waits, so that a client that asks
 * for much at once would have everybody else wait for megabytes of it.
 */
export class SendTurns {
  readonly #recent = new RecentClients()
  readonly #allowances = new WeakMap<object, Allowance>()
  readonly #blocks = new BlockPool(PIECE_BYTES)
  readonly #timer: NodeJS.Timeout
  #ticks = 0
  #due: Sending[] = []
  #isScheduled = false

  constructor() {
    this.#timer = setInterval(() => {
      this.#ticks += 1
    }, TICK)
    this.#timer.unref()
  }

  /** Somebody asks for anything. */
  asked(owner: object): void {
    this.#recent.asked(owner, this.#ticks)
  }

  /** To be called when an answer has something to send, and again after its client has taken what it got. */
  add(sending: Sending): void {
    if (sending.isDue) return
    sending.isDue = true
    this.#due.push(sending)
    this.#schedule()
  }

  /**
   * Copies bytes to blocks that are to be given back: fresh memory for each answer would have V8 collect garbage again
   * and again.
   */
  copy(bytes: Uint8Array): Buffer[] {
    const pieces: Buffer[] = []
    for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
      const block = this.#blocks.take()
      const part = bytes.subarray(start, start + PIECE_BYTES)
      block.set(part)
      pieces.push(part.length === PIECE_BYTES ? block : block.subarray(0, part.length))
    }
    return pieces
  }

  /** Takes back a piece of {@link copy} that was sent, or that nobody waits for. */
  giveBack(piece: Buffer): void {
    this.#blocks.giveBack(piece)
  }

  close(): void {
    clearInterval(this.#timer)
    this.#blocks.close()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#turn())
  }

  #turn(): void {
    const now = performance.now()
    const due = this.#due
    const later: Sending[] = []
    let sent = 0
    while (sent < TURN_BYTES) {
      const sending = due.shift()
      if (sending === undefined) break
      if (!this.#maySend(sending.owner, now)) {
        later.push(sending)
        continue
      }
      sent += PIECE_BYTES
      sending.isDue = false
      if (sending.send() && !sending.isDue) {
        sending.isDue = true
        due.push(sending)
      }
    }
    const isIdle = due.length === 0
    due.push(...later)
    this.#isScheduled = due.length > 0
    if (!this.#isScheduled) return
    if (isIdle) setTimeout(() => this.#turn(), PAUSE)
    else setImmediate(() => this.#turn())
  }

  /** Takes a piece from what an owner may send. */
  #maySend(owner: object, now: number): boolean {
    if (!this.#recent.hasOther(owner, this.#ticks - ASKS_FOR / TICK)) return true
    let allowance = this.#allowances.get(owner)
    if (allowance === undefined) {
      allowance = { bytes: TURN_BYTES, at: now }
      this.#allowances.set(owner, allowance)
    }
    const grown = allowance.bytes + ((now - allowance.at) * CONTENDED_RATE) / 1000
    allowance.bytes = Math.min(TURN_BYTES, grown)
    allowance.at = now
    if (allowance.bytes < PIECE_BYTES) return false
    allowance.bytes -= PIECE_BYTES
    return true
  }
}
