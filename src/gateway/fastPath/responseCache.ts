import type { BlockReference } from '../../chain/tables/blockKey.ts'
import type { NativeFastPath } from '../../native/nativeFastPath.ts'
import { ANSWER_HEAD } from '../../rpc/json.ts'
import { asBuffer } from '../../util/bytes.ts'
import type { AnswerSink } from '../scheduler/ticket.ts'

/** Lookups of a cache that found something and that did not, and the bytes in it. */
export interface CacheStats {
  readonly hits: number
  readonly misses: number
  readonly bytes: number
}

const RESULT = Buffer.from(',"result":')
const NO_RESULT = Buffer.from(',"result":null')
/** In a transaction of the pool, which can leave it unseen. */
const NOT_MINED = Buffer.from('"blockNumber":null')

/**
 * Answers that hold as long as the head does, by method and parameters. What is kept follows the id of an answer. It
 * lies in the native core, which looks there for every request that it parses; here answers are put into it. When there
 * is no more room the oldest go.
 */
export class ResponseCache {
  readonly #native: NativeFastPath
  readonly #isHead: (block: BlockReference) => boolean
  /** Counts {@link forget}. */
  #version = 0
  #misses = 0

  /** @param isHead whether a block is the head that responses are looked up at */
  constructor(kept: NativeFastPath, isHead: (block: BlockReference) => boolean) {
    this.#native = kept
    this.#isHead = isHead
  }

  /** Lookups so far, and what is kept now. */
  stats(): CacheStats {
    const { hits, misses, bytes } = this.#native.responseCacheStats()
    return { hits, misses: misses + this.#misses, bytes }
  }

  /**
   * A sink that keeps an answer on its way unless the head changed since the question.
   * @param key of `responseKey`
   */
  caching(key: number, params: Uint8Array, id: string, sink: AnswerSink): AnswerSink {
    this.#misses += 1
    const version = this.#version
    const start = ANSWER_HEAD.length + Buffer.byteLength(id)
    return (body, status, block) => {
      // A worker may see the next head before this thread is notified of it.
      const isOfHead = block === undefined || this.#isHead(block)
      if (isOfHead && status === 200 && version === this.#version && body.length > 0) {
        const bytes = typeof body === 'string' ? Buffer.from(body) : asBuffer(body)
        const rest = bytes.subarray(start)
        if (canStay(rest)) this.#native.keep(key, params, rest)
      }
      sink(body, status, block)
    }
  }

  /** To be called when the head is another one: answers on their way are not kept. */
  forget(): void {
    this.#version += 1
  }
}

/** Errors cannot, nor what is not there yet or only in the pool. */
function canStay(rest: Buffer): boolean {
  return startsWith(rest, RESULT) && !startsWith(rest, NO_RESULT) && !rest.includes(NOT_MINED)
}

function startsWith(bytes: Buffer, start: Buffer): boolean {
  return bytes.subarray(0, start.length).equals(start)
}
