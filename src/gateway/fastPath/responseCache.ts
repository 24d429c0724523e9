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
 * lies in the native core, which answers ordinary requests from it by itself; here are those in batches and in
 * unusual form. When there is no more room the oldest go.
 */
export class ResponseCache {
  readonly #kept: NativeFastPath
  readonly #isOn: boolean
  /** Counts {@link forget}. */
  #version = 0

  /** @param isOn whether there is room for anything */
  constructor(kept: NativeFastPath, isOn: boolean) {
    this.#kept = kept
    this.#isOn = isOn
  }

  /**
   * Whether an answer can be kept: it may ask for the pending block, which changes all the time. Escapes could hide
   * that.
   * @param params JSON text
   */
  canKeep(params: string): boolean {
    return this.#isOn && !params.includes('pending') && !params.includes('\\')
  }

  /**
   * What follows the id.
   * @param key of `responseKey`
   */
  find(key: number, params: string): string | null {
    return this.#kept.find(key, params)
  }

  /** Lookups so far, those of the native core included, and what is kept now. */
  stats(): CacheStats {
    return this.#kept.responseCacheStats()
  }

  /**
   * A sink that keeps an answer on its way unless the head changed since the question.
   * @param key of `responseKey`
   */
  keeping(key: number, params: string, id: string, sink: AnswerSink): AnswerSink {
    const version = this.#version
    const start = ANSWER_HEAD.length + Buffer.byteLength(id)
    return (body, status) => {
      if (status === 200 && version === this.#version && body.length > 0) {
        const bytes = typeof body === 'string' ? Buffer.from(body) : asBuffer(body)
        const rest = bytes.subarray(start)
        if (canStay(rest)) this.#kept.keep(key, params, rest)
      }
      sink(body, status)
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
