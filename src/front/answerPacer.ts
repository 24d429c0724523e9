import { RecentClients } from '../gateway/scheduler/recentClients.ts'
import { BufferPool } from './bufferPool.ts'

/**
 * Bytes that all large answers together hand to sockets in one tick of the event loop. Writing them takes well below a
 * millisecond; then the thread reads what arrived meanwhile.
 */
const TICK_BYTES = 256 * 1024

/** Bytes that one answer hands over before the next one does. Larger pieces are not sent faster. */
export const PIECE_BYTES = 64 * 1024

/** Bytes of large answers that one client gets per second while another client asks: half a gigabit. */
const CONTENDED_BYTES_PER_SECOND = 64 * 1024 * 1024

/** Milliseconds for which a client counts as asking after a request. */
const ASKS_MILLISECONDS = 1000
/** Resolution of that, milliseconds. */
const CLOCK_PERIOD_MILLISECONDS = 250
/** Steps of that clock after which nobody counts as asking. */
const ASKS_STEPS = ASKS_MILLISECONDS / CLOCK_PERIOD_MILLISECONDS

/** Milliseconds to wait when no answer may send. */
const PAUSE_MILLISECONDS = 4

/** An answer that is sent in pieces. */
export interface Sending {
  /** The client that asked for it. */
  readonly client: object
  /** True when it is queued. Only the pacer sets it. */
  isDue: boolean
  /**
   * Hands its next bytes to the socket, at most {@link PIECE_BYTES}.
   * @returns whether it has more that its client takes at once
   */
  send(): boolean
}

/** A client's share of the bytes that are sent while others ask: a token bucket. */
interface Allowance {
  bytes: number
  /** Milliseconds of the monotonic clock. */
  at: number
}

/**
 * Sends large answers piece by piece, round robin. The kernel copies what a socket takes while the thread waits, so
 * writing megabytes to one client at once would delay every other client.
 */
export class AnswerPacer {
  readonly #recent = new RecentClients()
  readonly #allowances = new WeakMap<object, Allowance>()
  readonly #buffers = new BufferPool(PIECE_BYTES)
  /** null while nobody asks. */
  #timer: NodeJS.Timeout | null = null
  #clock = 0
  /** Time at which somebody asked last, by that clock. */
  #askedAt = 0
  #due: Sending[] = []
  #isScheduled = false

  /** A client sent a request, of any kind. */
  asked(client: object): void {
    this.#recent.asked(client, this.#clock)
    this.#askedAt = this.#clock
    this.#timer ??= setInterval(() => this.#step(), CLOCK_PERIOD_MILLISECONDS).unref()
  }

  /** To be called when an answer has something to send, and again after its client has taken what it got. */
  add(sending: Sending): void {
    if (sending.isDue) return
    sending.isDue = true
    this.#due.push(sending)
    this.#schedule()
  }

  /**
   * Copies bytes to pooled buffers, to be returned with {@link giveBack}: fresh memory for each answer would keep V8
   * collecting garbage.
   */
  copy(bytes: Uint8Array): Buffer[] {
    const pieces: Buffer[] = []
    for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
      const buffer = this.#buffers.take()
      const part = bytes.subarray(start, start + PIECE_BYTES)
      buffer.set(part)
      pieces.push(part.length === PIECE_BYTES ? buffer : buffer.subarray(0, part.length))
    }
    return pieces
  }

  /** Returns a piece of {@link copy} that was sent or is no longer wanted. */
  giveBack(piece: Buffer): void {
    this.#buffers.giveBack(piece)
  }

  close(): void {
    this.#stopClock()
    this.#buffers.close()
  }

  #step(): void {
    this.#clock += 1
    // It stands still only when everybody who asked did so too long ago to count.
    if (this.#clock - this.#askedAt > ASKS_STEPS) this.#stopClock()
  }

  #stopClock(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#sendDue())
  }

  #sendDue(): void {
    const now = performance.now()
    const due = this.#due
    const later: Sending[] = []
    let sent = 0
    while (sent < TICK_BYTES) {
      const sending = due.shift()
      if (sending === undefined) break
      if (!this.#maySend(sending.client, now)) {
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
    if (isIdle) setTimeout(() => this.#sendDue(), PAUSE_MILLISECONDS)
    else setImmediate(() => this.#sendDue())
  }

  /** Charges a piece to a client; whether it may be sent now. */
  #maySend(client: object, now: number): boolean {
    if (!this.#recent.hasOther(client, this.#clock - ASKS_STEPS)) return true
    let allowance = this.#allowances.get(client)
    if (allowance === undefined) {
      allowance = { bytes: TICK_BYTES, at: now }
      this.#allowances.set(client, allowance)
    }
    const grown = allowance.bytes + ((now - allowance.at) * CONTENDED_BYTES_PER_SECOND) / 1000
    allowance.bytes = Math.min(TICK_BYTES, grown)
    allowance.at = now
    if (allowance.bytes < PIECE_BYTES) return false
    allowance.bytes -= PIECE_BYTES
    return true
  }
}
