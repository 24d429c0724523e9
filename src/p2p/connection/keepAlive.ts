import { DISCONNECT_REASONS } from '../messages/codes.ts'
import { P2pError } from '../wire/p2pError.ts'
import type { ConnectionTimings } from './connectionOptions.ts'

/** Access of {@link KeepAlive} to a connection. */
export interface Watched {
  /** Bytes that the socket has sent, and those still buffered. */
  readonly sentBytes: number
  readonly bufferedBytes: number
  sendPing(): void
  /** Ends it. @param reason of DISCONNECT; null to close without */
  expire(error: P2pError, reason: number | null): void
}

/**
 * Sends PINGs, and ends connections that are silent or accept no data (p2p.md §3 keep-alive). Time in which
 * this node does not read is not counted against the other end.
 */
export class KeepAlive {
  readonly #watched: Watched
  readonly #clock: () => number
  readonly #timings: ConnectionTimings
  readonly #timer: NodeJS.Timeout
  #isReading = true
  #receivedAt: number
  /** Time of the unanswered PING. */
  #pingedAt: number | null = null
  #sentBytes = 0
  #sentAt: number

  constructor(watched: Watched, clock: () => number, timings: ConnectionTimings) {
    this.#watched = watched
    this.#clock = clock
    this.#timings = timings
    this.#receivedAt = clock()
    this.#sentAt = this.#receivedAt
    this.#timer = setInterval(() => this.#tick(), timings.ping).unref()
  }

  /** Records received bytes. */
  received(): void {
    this.#receivedAt = this.#clock()
  }

  /** Records a PONG. */
  answered(): void {
    this.#pingedAt = null
  }

  /** True when this node is reading at present. */
  set isReading(isReading: boolean) {
    if (isReading && !this.#isReading) {
      this.#receivedAt = this.#clock()
      if (this.#pingedAt !== null) this.#pingedAt = this.#receivedAt
    }
    this.#isReading = isReading
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #tick(): void {
    const now = this.#clock()
    const { idle, pong, stall } = this.#timings
    if (this.#isReading && now - this.#receivedAt >= idle) {
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
