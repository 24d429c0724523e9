import type { BlockReference } from '../../chain/tables/blockKey.ts'
import type { Lane } from '../../rpc/defineMethod.ts'
import type { JsonText } from '../../rpc/json.ts'
import type { Preferences } from '../../rpc/preferences.ts'

/**
 * Receives the answer of one request: an exchange, or an element of a batch. Bytes are valid until it returns; whoever
 * keeps them copies them. An answer of a worker comes with the block that it was given at, where somebody asks for that.
 */
export type AnswerSink = (body: string | Uint8Array, status: number, block?: BlockReference) => void

/** One request on its way through a lane. */
export interface Ticket {
  /** The client that asked: lanes are shared fairly among clients. Tickets without one count as those of one client. */
  readonly client?: object
  /** Index in METHODS. */
  readonly method: number
  readonly lane: Lane
  /** JSON text. */
  readonly id: string
  readonly params: JsonText
  readonly preferences: Preferences
  /** Time on the monotonic clock, milliseconds, after which the answer is -32011. */
  readonly deadline: number
  /** Time at which it was sent to a worker, in milliseconds of `performance.now()`; 0 while it waits for one. */
  startedAt: number
  /** Worker time that its client was charged in advance, milliseconds; 0 unless it is at a worker. */
  charged: number
  /** Element of the interrupt table while at a worker; -1 otherwise. */
  slot: number
  /** True when it has its answer, or nobody waits for it any more. */
  settled: boolean
  readonly sink: AnswerSink
}
