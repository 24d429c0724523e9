import { DISCONNECT_REASONS } from '../messages/codes.ts'
import { P2pError } from '../wire/p2pError.ts'
import type { ConnectionTimings } from './connectionOptions.ts'

/** What a connection is asked by {@link KeepAlive}. */
export interface Watched {
  /** Bytes that the socket has taken, and those that it has not. */
  readonly sentBytes: number
  readonly bufferedBytes: number
  sendPing(): void
  /** Ends it. @param reason of DISCONNECT; null to close without */
  expire(error: P2pError, reason: number | null): void
}

/**
 * PINGs, and the end of connections that are silent or take nothing (p2p.md §3 keep-alive). Time in which we read
 * nothing ourselves is not held against the other end.
 */
export class KeepAlive {
  readonly #watched: Watched
  readonly #clock: () => number
  readonly #timings: ConnectionTimings
  readonly #timer: NodeJS.Timeout
  #isReading = true
  #heardAt: number
  /** When the PING went that waits for its answer. */
  #pingedAt: number | null = null
  #sentBytes = 0
  #sentAt: number

  constructor(watched: Watched, clock: () => number, timings: ConnectionTimings) {
    this.#watched = watched
    this.#clock = clock
    this.#timings = timings
    this.#heardAt = clock()
    this.#sentAt = this.#heardAt
    this.#timer = setInterval(() => this.#tick(), timings.ping).unref()
  }

  /** Bytes came. */
  heard(): void {
    this.#heardAt = this.#clock()
  }

  /** A PONG came. */
  answered(): void {
    this.#pingedAt = null
  }

  /** Whether what the other end sends is read at present. */
  set isReading(isReading: boolean) {
    if (isReading && !this.#isReading) {
      this.#heardAt = this.#clock()
      if (this.#pingedAt !== null) this.#pingedAt = this.#heardAt
    }
    this.#isReading = isReading
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #tick(): void {
    const now = this.#clock()
    const { idle, pong, stall } = this.#timings
    if (this.#isReading && now - this.#heardAt >= idle) {
      this.#watched.expire(new P2pError('TIMEOUT', 'silent for too long'), null)
    } else if (this.#isReading && this.#pingedAt !== null && now - this.#pingedAt >= pong) {
      this.#watched.expire(new P2pError('TIMEOUT', 'a PING was not answered'), DISCONNECT_REASONS.pingTimeout)
    } else if (this.#isStalled(now, stall)) {
      this.#watched.expire(new P2pError('TIMEOUT', 'it takes nothing of what is sent'), null)
    } else if (this.#pingedAt === null) {
      this.#pingedAt = now
      this.#watched.sendPing()
    }
  }

  #isStalled(now: number, limit: number): boolean {
    const { sentBytes, bufferedBytes } = this.#watched
    if (bufferedBytes > 0 && sentBytes === this.#sentBytes) return now - this.#sentAt >= limit
    this.#sentBytes = sentBytes
    this.#sentAt = now
    return false
  }
}
