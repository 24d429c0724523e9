import type { PeerRequest, PeerResponse } from '../messages/rskMessage.ts'
import { PeerRequestError } from '../peer.ts'
import type { Scheduler } from './scheduler.ts'

/** Ids of requests, counted from 1 for the whole process as in the reference (p2p.md §4). */
export class RequestIds {
  #last = 0n

  next(): bigint {
    this.#last += 1n
    return this.#last
  }
}

interface Pending {
  readonly answer: PeerResponse['type']
  readonly askedAt: number
  readonly resolve: (answer: PeerResponse) => void
  readonly reject: (error: PeerRequestError) => void
  readonly cancelTimer: () => void
}

/** Most open requests per peer. */
const MAX_PENDING = 2048

/** Weight of the latest response in the mean of {@link PendingRequests.latency}. */
const LATENCY_WEIGHT = 0.2

/** Requests that a peer has not answered. */
export class PendingRequests {
  readonly #scheduler: Scheduler
  readonly #onTimeout: () => void
  readonly #open = new Map<bigint, Pending>()
  #latency: number | null = null
  #isClosed = false

  /** @param onTimeout called for each request that timed out */
  constructor(scheduler: Scheduler, onTimeout: () => void) {
    this.#scheduler = scheduler
    this.#onTimeout = onTimeout
  }

  get size(): number {
    return this.#open.size
  }

  /** Mean latency, weighted towards recent responses, milliseconds; null before the first. */
  get latency(): number | null {
    return this.#latency
  }

  /**
   * Waits for the response to a sent request.
   * @param timeout milliseconds
   * @throws PeerRequestError
   */
  wait(
    question: { readonly type: PeerRequest['type']; readonly id: bigint },
    timeout: number,
  ): Promise<PeerResponse> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) throw new PeerRequestError('GONE', 'the peer is gone')
      const cancelTimer = this.#scheduler.after(timeout, () => {
        this.#open.delete(question.id)
        this.#onTimeout()
        reject(new PeerRequestError('TIMEOUT', `no answer to ${question.type} within ${timeout} ms`))
      })
      this.#open.set(question.id, {
        answer: answerTo(question.type),
        askedAt: this.#scheduler.now(),
        resolve,
        reject,
        cancelTimer,
      })
    })
  }

  /** True when another request may be sent. */
  get hasCapacity(): boolean {
    return !this.#isClosed && this.#open.size < MAX_PENDING
  }

  /** Passes a response to its request; false when there is none, or it is of another type. */
  settle(answer: PeerResponse): boolean {
    const pending = this.#open.get(answer.id)
    if (pending === undefined || pending.answer !== answer.type) return false
    this.#open.delete(answer.id)
    pending.cancelTimer()
    const took = this.#scheduler.now() - pending.askedAt
    this.#latency = this.#latency === null ? took : this.#latency + (took - this.#latency) * LATENCY_WEIGHT
    pending.resolve(answer)
    return true
  }

  /** Withdraws a request that could not be sent, without any notification. */
  forget(id: bigint): void {
    this.#open.get(id)?.cancelTimer()
    this.#open.delete(id)
  }

  /** Rejects all open requests and all that come. */
  close(): void {
    this.#isClosed = true
    for (const { cancelTimer, reject } of this.#open.values()) {
      cancelTimer()
      reject(new PeerRequestError('GONE', 'the peer is gone'))
    }
    this.#open.clear()
  }
}

const ANSWERS: Readonly<Record<PeerRequest['type'], PeerResponse['type']>> = {
  blockHashRequest: 'blockHashResponse',
  blockHeadersRequest: 'blockHeadersResponse',
  blockRequest: 'blockResponse',
  bodyRequest: 'bodyResponse',
  skeletonRequest: 'skeletonResponse',
  snapStateChunkRequest: 'snapStateChunkResponse',
  snapStatusRequest: 'snapStatusResponse',
  snapBlocksRequest: 'snapBlocksResponse',
  blockRangeRequest: 'blockRangeResponse',
}
const ANSWER_TYPES: ReadonlySet<string> = new Set(Object.values(ANSWERS))
const QUESTION_TYPES: ReadonlySet<string> = new Set(Object.keys(ANSWERS))

function answerTo(type: PeerRequest['type']): PeerResponse['type'] {
  return ANSWERS[type]
}

/** True when a message is a response. */
export function isAnswer(message: { readonly type: string }): message is PeerResponse {
  return ANSWER_TYPES.has(message.type)
}

/** True when a message is a request. */
export function isQuestion(message: { readonly type: string }): message is PeerRequest {
  return QUESTION_TYPES.has(message.type)
}
