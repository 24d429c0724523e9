import type { BlockReference } from '../chain/tables/blockKey.ts'
import type { EventConnection } from '../filters/eventConnection.ts'
import type { ExchangeTrace } from '../observe/tracing.ts'
import type { Caller } from './access/caller.ts'

/** An answer on its way, piece by piece. */
export interface AnswerStream {
  /** Sends pieces; false when the client does not keep up: then wait for {@link onWritable}. */
  write(...pieces: readonly Uint8Array[]): boolean
  /** Sends the last pieces, at least one. */
  end(...pieces: readonly Uint8Array[]): void
  /** Breaks off: the client sees an answer that does not end as it should. */
  abort(): void
  /** Called when the client has taken what was sent. */
  onWritable: (() => void) | undefined
}

/**
 * One HTTP request or WebSocket message that waits for its answer. Made by the front, answered by the
 * gateway exactly once.
 */
export interface Exchange {
  /** Caller, which is charged. */
  readonly caller: Caller
  /** Receiver of notifications of subscriptions; not over HTTP. */
  readonly connection?: EventConnection
  /** By which the client knows the exchange; null when it gave no name, or where there are none. */
  readonly requestId?: string | null
  /** Takes spans of the requests of the exchange; only while tracing is on. */
  readonly trace?: ExchangeTrace | null
  /** True when methods that sign, change the chain or the node are closed: the page of another origin asks. */
  readonly restricted?: boolean
  /** The height that the head is to have before the exchange is answered (`X-Min-Block`); 0, or none, for any. */
  readonly minBlock?: number
  /** Takes bytes of the client's memory until the end of the exchange; false when it has too few left. */
  hold?(bytes: number): boolean
  /**
   * Records the block that an answer, or an element of one, was given at; the lowest one counts. Where none is recorded,
   * it is the head when the answer is sent. Absent where answers do not name their block.
   */
  givenAt?(block: BlockReference): void
  /** Begins an answer that is sent piece by piece; not where an answer has to be one message. */
  beginStream?(): AnswerStream
  /** Sends the answer; an empty one for notifications. */
  answer(body: string | Uint8Array, status: number): void
  /** Called when the client goes away before the answer. */
  onGone: (() => void) | undefined
  /** True when the client is gone. */
  readonly gone: boolean
}

/** Calls back, too, when the client goes away. */
export function whenGone(exchange: Exchange, action: () => void): void {
  const before = exchange.onGone
  exchange.onGone =
    before === undefined
      ? action
      : () => {
          before()
          action()
        }
}
