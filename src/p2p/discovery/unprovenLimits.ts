import { replyBlockOf, sourceOf } from './addressBlock.ts'
import type { Reason } from './openRequests.ts'
import { KeyedRateLimiter } from './rateLimiter.ts'
import { ReplyBudget } from './replyBudget.ts'

/**
 * PINGs to addresses that others named, for each source and each block of them: a list of neighbours may name
 * somebody who is to be written to.
 */
const NEIGHBOR_RATES = {
  source: { perSecond: 4 / 60, burst: 2 },
  block: { perSecond: 8 / 60, burst: 8 },
} as const

/** Most sources and most blocks of which that is tracked. */
const MAX_NAMED = 2048

/** A PING that is about to be sent. */
export interface OutgoingPing {
  readonly address: string
  readonly port: number
  /** Its length. */
  readonly bytes: number
  readonly now: number
  /** True when it may be sent to a stranger before as much came from there (`ReplyBudget`). */
  readonly onCredit: boolean
}

/** Bounds what is sent to addresses that never answered. Times are milliseconds of the steady clock. */
export class UnprovenLimits {
  readonly #exemptsLocal: boolean
  readonly #replies: ReplyBudget
  readonly #sources = new KeyedRateLimiter(NEIGHBOR_RATES.source, MAX_NAMED)
  readonly #blocks = new KeyedRateLimiter(NEIGHBOR_RATES.block, MAX_NAMED)

  /** @param exemptsLocal whether blocks of local addresses are not counted, as on development networks */
  constructor(exemptsLocal: boolean) {
    this.#exemptsLocal = exemptsLocal
    this.#replies = new ReplyBudget(exemptsLocal)
  }

  /** Records a datagram, whoever sent it. */
  received(address: string, port: number, bytes: number, now: number): void {
    this.#replies.received(address, port, bytes, now)
  }

  /** True when a PONG may be sent to whoever sent a PING and is not known. */
  mayPong(address: string, port: number, bytes: number, now: number): boolean {
    return this.#replies.take(address, port, bytes, now, 'pong')
  }

  /** True when a PONG was sent there within the last minute. */
  hasPong(address: string, port: number, now: number): boolean {
    return this.#replies.hasPong(address, port, now)
  }

  /** True when a PING may be sent. */
  mayPing(reason: Reason, { address, port, bytes, now, onCredit }: OutgoingPing): boolean {
    switch (reason) {
      case 'stranger':
        return this.#replies.take(address, port, bytes, now, onCredit ? 'ping' : null)
      case 'neighbor': {
        const block = replyBlockOf(address, this.#exemptsLocal)
        if (block !== null && !this.#blocks.take(block, now)) return false
        return this.#sources.take(sourceOf(address, port), now)
      }
      default:
        return true
    }
  }
}
