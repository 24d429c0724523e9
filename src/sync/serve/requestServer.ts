import { performance } from 'node:perf_hooks'
import type { Logger } from '../../observe/logger.ts'
import { encodePeerMessage } from '../../p2p/messages/rskCodec.ts'
import type { PeerMessage, PeerRequest } from '../../p2p/messages/rskMessage.ts'
import type { Peer } from '../../p2p/peer.ts'
import { createSteadyClock } from '../../util/steadyClock.ts'
import type { SyncChain } from '../syncChain.ts'
import { answerRequest, type ChainRequest, type SnapRequest } from './answerRequest.ts'
import { DEFAULT_SERVE_LIMITS, ServeBudget, type ServeLimits } from './serveBudget.ts'
import { type ServedStates, SnapAnswers, type SnapParts } from './snapAnswers.ts'

type Request = ChainRequest | SnapRequest

/** The weight of the time of an answer while this node is far behind itself, times. */
const BEHIND = 5

/** The parts that answer questions of peers. */
export interface RequestServerOptions {
  readonly chain: SyncChain
  /** Null where this node hands out no snapshots: then such questions get no answer. */
  readonly states: (Pick<SnapParts, 'chunkSpan' | 'checkpoint'> & { readonly source: ServedStates }) | null
  readonly limits?: Partial<ServeLimits>
  /** True when this node is far behind itself: then its time is its own first. Never unless given. */
  readonly isFarBehind?: () => boolean
  readonly logger?: Logger
  /** Milliseconds, steady. */
  readonly now?: () => number
  /** Milliseconds of work, as finely as they can be measured. */
  readonly stopwatch?: () => number
  /** Resolves after so many milliseconds, at least in another turn. */
  readonly wait?: (milliseconds: number) => Promise<void>
  /** Called with each block that was sent to a peer. */
  readonly onGiven?: (peer: Peer, hash: Buffer) => void
}

const REQUEST_TYPES: ReadonlySet<PeerMessage['type']> = new Set([
  'getBlock',
  'blockHashRequest',
  'blockHeadersRequest',
  'blockRequest',
  'bodyRequest',
  'skeletonRequest',
  'snapStateChunkRequest',
  'snapStatusRequest',
  'snapBlocksRequest',
  'blockRangeRequest',
] satisfies (PeerRequest['type'] | 'getBlock')[])

/** True when a message is a question. */
export function isRequest(message: PeerMessage): message is Request {
  return REQUEST_TYPES.has(message.type)
}

/**
 * Answers questions of peers, one after the other of each peer, within a budget of bytes and time. Answers to several
 * peers are made by turns.
 */
export class RequestServer {
  readonly #options: RequestServerOptions
  readonly #limits: ServeLimits
  readonly #budget: ServeBudget
  readonly #snap: SnapAnswers | null
  readonly #now: () => number
  readonly #stopwatch: () => number
  readonly #wait: (milliseconds: number) => Promise<void>
  readonly #lines = new Map<Peer, { tail: Promise<void>; waiting: number }>()
  #lastAnswer: Promise<void> = Promise.resolve()
  #snapTurn: Promise<unknown> = Promise.resolve()
  #answered = 0
  #dropped = 0
  #closed = false

  constructor(options: RequestServerOptions) {
    const { chain, states, now = createSteadyClock() } = options
    this.#options = options
    this.#limits = { ...DEFAULT_SERVE_LIMITS, ...options.limits }
    this.#now = now
    this.#stopwatch = options.stopwatch ?? (() => performance.now())
    this.#wait = options.wait ?? waitUnreferenced
    this.#budget = new ServeBudget(this.#limits, now())
    this.#snap = states && new SnapAnswers({ ...states, chain, states: states.source })
  }

  /** Answers so far, and questions that found too many before them. */
  get stats(): { readonly answered: number; readonly dropped: number; readonly peers: number } {
    return { answered: this.#answered, dropped: this.#dropped, peers: this.#lines.size }
  }

  /**
   * Answers a question when its turn has come.
   * @returns when it was dealt with, whether there was an answer or not
   */
  onRequest(peer: Peer, request: Request): Promise<void> {
    const line = this.#lines.get(peer) ?? { tail: Promise.resolve(), waiting: 0 }
    if (this.#closed || line.waiting >= this.#limits.waiting) {
      this.#dropped += 1
      return Promise.resolve()
    }
    line.waiting += 1
    line.tail = line.tail.then(async () => {
      // Of a peer that left nothing waits any more.
      if (this.#lines.get(peer) === line && !this.#closed) await this.#serve(peer, request)
      line.waiting -= 1
    })
    this.#lines.set(peer, line)
    return line.tail
  }

  onPeerGone(peer: Peer): void {
    this.#lines.delete(peer)
    const connected = new Set([...this.#lines.keys()].map(({ id }) => id))
    this.#budget.tidy((id) => connected.has(id), this.#now())
  }

  close(): void {
    this.#closed = true
    this.#lines.clear()
  }

  async #serve(peer: Peer, request: Request): Promise<void> {
    const turn = this.#lastAnswer.then(() => this.#wait(0))
    this.#lastAnswer = turn
    await turn
    for (;;) {
      const delay = this.#budget.delay(peer.id, this.#now())
      if (delay === 0) break
      await this.#wait(delay)
    }
    if (this.#closed || !this.#lines.has(peer)) return
    try {
      await this.#answer(peer, request)
    } catch (error) {
      this.#options.logger?.error(
        { err: error, type: request.type },
        'a question of a peer could not be answered',
      )
    }
  }

  async #answer(peer: Peer, request: Request): Promise<void> {
    const begun = this.#stopwatch()
    let answer: PeerMessage | null
    let time: number
    this.#options.chain.refresh()
    if (isSnapRequest(request)) {
      // One at a time: they are made beside this thread, where nothing else would bound them.
      const snapTurn = this.#snapTurn.then(() => this.#snap?.answer(request) ?? null)
      this.#snapTurn = snapTurn.catch(() => null)
      answer = await snapTurn
      time = 0
    } else {
      answer = answerRequest(this.#options.chain, request)
      time = this.#stopwatch() - begun
    }
    if (answer !== null && this.#lines.has(peer)) {
      const sending = this.#stopwatch()
      if (peer.send(answer, true)) this.#answered += 1
      time += this.#stopwatch() - sending
      if (request.type === 'getBlock' || request.type === 'blockRequest') {
        this.#options.onGiven?.(peer, request.hash)
      }
    }
    const weight = this.#options.isFarBehind?.() === true ? BEHIND : 1
    const cost = { bytes: answer === null ? 0 : bytesOf(answer), time: time * weight }
    this.#budget.spend(peer.id, cost, this.#now())
  }
}

function isSnapRequest(request: Request): request is SnapRequest {
  return request.type.startsWith('snap')
}

/** Bytes of the parts of an answer that can be long. */
function bytesOf(answer: PeerMessage): number {
  switch (answer.type) {
    case 'block':
    case 'blockResponse':
      return answer.block.length
    case 'blockHeadersResponse':
      return sum(answer.headers)
    case 'bodyResponse':
      return sum(answer.transactions) + sum(answer.uncles) + (answer.extension?.data.length ?? 0)
    case 'blockRangeResponse':
    case 'snapBlocksResponse':
    case 'snapStatusResponse':
      return sum(answer.blocks)
    case 'snapStateChunkResponse':
      return answer.chunk.length
    default:
      return encodePeerMessage(answer).payload.length
  }
}

function sum(parts: readonly Buffer[]): number {
  return parts.reduce((bytes, part) => bytes + part.length, 0)
}

function waitUnreferenced(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    if (milliseconds === 0) setImmediate(resolve)
    else setTimeout(resolve, milliseconds).unref()
  })
}
