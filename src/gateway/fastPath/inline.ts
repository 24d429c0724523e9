import type { RevertForm } from '../../config/revertForm.ts'
import type { MemoryUse } from '../../filters/memoryUse.ts'
import type { EventConnection } from '../../filters/subscriptionHub.ts'
import { RpcError, responseTooLarge } from '../../rpc/errors.ts'
import {
  type Answer,
  bodyOf,
  errorAnswer,
  executeRequest,
  lengthOf,
  type UnexpectedErrorSink,
} from '../../rpc/execute.ts'
import { ANSWER_HEAD, type Forward } from '../../rpc/json.ts'
import type { Route } from '../router.ts'
import type { AnswerSink } from '../scheduler/ticket.ts'
import type { TurnSnapshot } from '../turnSnapshot.ts'

/** Bytes of the memory that answers are put together in: fresh memory costs more than what is written to it. */
const ROOM_BYTES = 512 * 1024

/** What a request of the front thread has besides its parameters. */
export interface RequestOrigin {
  /** Takes notifications; null over HTTP. */
  readonly connection: EventConnection | null
  /** Memory of the caller. */
  readonly memory: MemoryUse
  /** Gives the method a signal that ends with the wait of the caller; null where methods do not wait. */
  readonly signal: (() => AbortSignal) | null
  /** How the caller wants to be told of reverts. */
  readonly reverts: RevertForm
  /** By which an answer is kept (`responseKey`). */
  readonly key: number
  /** Has the request answered by workers. */
  forward(forward: Forward): void
  /** Whether the sink has used up the answer when it returns. */
  readonly alone: boolean
}

/**
 * Runs methods in the front thread. Answers of methods without parameters are kept as text until
 * something changes: they then cost one concatenation.
 */
export class InlineRunner {
  readonly #snapshot: TurnSnapshot
  readonly #maxAnswerBytes: number
  readonly #onUnexpected: UnexpectedErrorSink
  readonly #onKept: (method: number, rest: string) => void
  readonly #room = Buffer.allocUnsafeSlow(ROOM_BYTES)
  /** By `responseKey`: what follows the id. */
  readonly #kept = new Map<number, string>()
  /** Counts changes: an answer that began before one is not kept. */
  #version = 0

  /** @param onKept told of what follows the id in an answer that is kept until {@link forget} */
  constructor(
    snapshot: TurnSnapshot,
    maxAnswerBytes: number,
    onUnexpected: UnexpectedErrorSink,
    onKept: (method: number, rest: string) => void,
  ) {
    this.#snapshot = snapshot
    this.#maxAnswerBytes = maxAnswerBytes
    this.#onUnexpected = onUnexpected
    this.#onKept = onKept
  }

  /** Drops cached responses and the snapshot. */
  forget(): void {
    this.#kept.clear()
    this.#version += 1
    this.#snapshot.forget()
  }

  /** What follows the id in the answer that is kept for a request. @param key of `responseKey` */
  kept(key: number, params: string): string | undefined {
    return isPlain(params) ? this.#kept.get(key) : undefined
  }

  /** Runs a request; the sink may be called before this returns. */
  run(route: Route, id: string, params: string, sink: AnswerSink, origin: RequestOrigin): void {
    const keeps = route.definition.cache !== 'none' && isPlain(params)
    try {
      this.#snapshot.take()
    } catch (error) {
      // A store that a failed disk broke: the node is about to end.
      this.#onUnexpected(route.definition.name, error)
      const { text, status } = errorAnswer(id, new RpcError('internal'))
      sink(text, status)
      return
    }
    const { context } = this.#snapshot
    const { front } = context
    if (front !== undefined) {
      front.connection = origin.connection
      front.memory = origin.memory
      front.signal = origin.signal
    }
    const version = this.#version
    const { reverts } = origin
    const answer = executeRequest(context, route.definition, id, params, this.#onUnexpected, reverts)
    const send = (done: Answer) => {
      if (done.forward !== undefined) {
        origin.forward(done.forward)
        return
      }
      if (keeps && version === this.#version) this.#keep(origin.key, route.index, id, done)
      const isTooLarge = done.unlimited !== true && lengthOf(done) > this.#maxAnswerBytes
      const sent = isTooLarge ? errorAnswer(id, responseTooLarge(this.#maxAnswerBytes)) : done
      sink(bodyOf(sent, origin.alone ? this.#room : undefined), sent.status)
    }
    if (answer instanceof Promise) void answer.then(send)
    else send(answer)
  }

  #keep(key: number, index: number, id: string, { text, rest: bytes, status }: Answer): void {
    if (bytes !== undefined) return
    const rest = text.slice(ANSWER_HEAD.length + id.length)
    if (status !== 200 || !rest.startsWith(',"result":')) return
    this.#kept.set(key, rest)
    // The native core does not know who asks.
    if (key === index) this.#onKept(index, rest)
  }
}

/** Whether a request has no parameters. */
function isPlain(params: string): boolean {
  return params === '' || params === '[]'
}
