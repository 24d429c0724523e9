import type { EventConnection } from '../../filters/eventConnection.ts'
import type { MemoryUse } from '../../filters/memoryUse.ts'
import type { MethodDefinition } from '../../rpc/defineMethod.ts'
import { RpcError, responseTooLarge } from '../../rpc/errors.ts'
import {
  type Answer,
  bodyOf,
  errorAnswer,
  executeRequest,
  lengthOf,
  type UnexpectedErrorSink,
} from '../../rpc/execute.ts'
import { ANSWER_HEAD, type Forward, type JsonText, textOf } from '../../rpc/json.ts'
import type { Preferences } from '../../rpc/preferences.ts'
import type { Route } from '../router.ts'
import type { AnswerSink } from '../scheduler/ticket.ts'
import type { TickSnapshot } from '../tickSnapshot.ts'

/** Bytes of the memory that answers are put together in: fresh memory costs more than what is written to it. */
const BUFFER_BYTES = 512 * 1024

/** The properties of a request of the front thread besides its parameters. */
export interface RequestOrigin {
  /** Takes notifications; null over HTTP. */
  readonly connection: EventConnection | null
  /** Memory of the caller. */
  readonly memory: MemoryUse
  /** Gives the method a signal that ends with the wait of the caller; null where methods do not wait. */
  readonly signal: (() => AbortSignal) | null
  readonly preferences: Preferences
  /** True when an answer to no parameters is in the node's own form, so that it can be kept. */
  readonly isOwnForm: boolean
  /** Has the request answered by workers. */
  forward(forward: Forward): void
  /** Records that the answer is given at the present snapshot; null where nobody asks for it. */
  readonly givenHere: (() => void) | null
  /** True when the sink has used up the answer when it returns. */
  readonly alone: boolean
}

/**
 * Runs methods in the front thread. Answers to no parameters are kept by the native core until something changes.
 */
export class InlineRunner {
  readonly #snapshot: TickSnapshot
  readonly #maxAnswerBytes: number
  readonly #onUnexpected: UnexpectedErrorSink
  readonly #onKept: (method: number, rest: string) => void
  readonly #buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES)
  /** Counts changes: an answer that began before one is not kept. */
  #version = 0

  /** @param onKept called with what follows the id in an answer that is kept until {@link forget} */
  constructor(
    snapshot: TickSnapshot,
    maxAnswerBytes: number,
    onUnexpected: UnexpectedErrorSink,
    onKept: (method: number, rest: string) => void,
  ) {
    this.#snapshot = snapshot
    this.#maxAnswerBytes = maxAnswerBytes
    this.#onUnexpected = onUnexpected
    this.#onKept = onKept
  }

  /** Drops the snapshot, and has answers on their way not kept. */
  forget(): void {
    this.#version += 1
    this.#snapshot.forget()
  }

  /** Has answers on their way not kept; the snapshot stays. */
  keepNone(): void {
    this.#version += 1
  }

  /**
   * Runs a request; the sink may be called before this returns.
   * @param method that of the route, or the same with its fast handler
   */
  run(
    route: Route,
    method: MethodDefinition,
    id: string,
    params: JsonText,
    sink: AnswerSink,
    origin: RequestOrigin,
  ): void {
    const keeps = route.definition.cache !== 'none' && origin.isOwnForm && isPlain(params)
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
    const answer = executeRequest(context, method, id, params, this.#onUnexpected, origin.preferences)
    const send = (done: Answer) => {
      if (done.forward !== undefined) {
        origin.forward(done.forward)
        return
      }
      // The only answer of an exchange is sent in this turn, at the head that everybody knows then.
      if (!origin.alone) origin.givenHere?.()
      if (keeps && version === this.#version) this.#keep(route.index, id, done)
      const isTooLarge = done.unlimited !== true && lengthOf(done) > this.#maxAnswerBytes
      const sent = isTooLarge ? errorAnswer(id, responseTooLarge(this.#maxAnswerBytes)) : done
      sink(bodyOf(sent, origin.alone ? this.#buffer : undefined), sent.status)
    }
    if (answer instanceof Promise) {
      origin.givenHere?.()
      void answer.then(send)
    } else send(answer)
  }

  #keep(index: number, id: string, { text, rest: bytes, status }: Answer): void {
    if (bytes !== undefined) return
    const rest = text.slice(ANSWER_HEAD.length + id.length)
    if (status === 200 && rest.startsWith(',"result":')) this.#onKept(index, rest)
  }
}

/** True when a request has no parameters. */
function isPlain(params: JsonText): boolean {
  return params.length === 0 || (params.length === 2 && textOf(params) === '[]')
}
