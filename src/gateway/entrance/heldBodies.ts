import { RpcError } from '../../rpc/errors.ts'
import type { Exchange } from '../exchange.ts'

/** Bytes of the bodies that wait, of all clients together. */
const MAX_HELD_BYTES = 64 * 1024 * 1024

/** The bytes that a waiting body takes beside its own: the exchange, the timer. */
const OVERHEAD_BYTES = 512

/** Answers a body. The bytes are not kept beyond the call. */
export type BodySink = (body: ArrayBuffer | Buffer, exchange: Exchange) => void

/** A body that waits. */
export interface HeldBody {
  readonly body: Buffer
  readonly exchange: Exchange
  /** Bytes that it counts in the sum of what waits. */
  readonly bytes: number
}

/** Bounds the bytes of bodies that wait, in the memory of each client and in sum. */
export class HeldBytes {
  readonly #most: number
  #used = 0

  /** @param most bytes of all clients together */
  constructor(most: number = MAX_HELD_BYTES) {
    this.#most = most
  }

  /** Bytes of what waits. */
  get used(): number {
    return this.#used
  }

  /** Copies a body that is to wait; the error to answer with where they are too many: -32005. */
  keep(body: ArrayBuffer | Buffer, exchange: Exchange): HeldBody | RpcError {
    const bytes = body.byteLength + OVERHEAD_BYTES
    if (this.#used + bytes > this.#most) {
      return new RpcError('limited', 'too many requests wait for a block, try again later')
    }
    // Given back with the exchange.
    if (exchange.hold?.(bytes) === false) {
      const { account } = exchange.caller
      account.refusedMemory()
      return account.memory.refusal(bytes)
    }
    this.#used += bytes
    const copy = Buffer.from(body instanceof Uint8Array ? body : new Uint8Array(body))
    return { body: copy, exchange, bytes }
  }

  /** A body waits no more. */
  release({ bytes }: HeldBody): void {
    this.#used -= bytes
  }
}
