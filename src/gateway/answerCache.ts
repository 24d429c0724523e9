import type { FrontAnswers } from '../native/frontAnswers.ts'
import { ANSWER_HEAD } from '../rpc/json.ts'
import type { AnswerSink } from './ticket.ts'

/** Lookups of a cache that found something and that did not, and the bytes in it. */
export interface CacheFigures {
  readonly hits: number
  readonly misses: number
  readonly bytes: number
}

const RESULT = ',"result":'
const NO_RESULT = ',"result":null'
/** In a transaction of the pool, which can leave it unseen. */
const NOT_MINED = '"blockNumber":null'

/**
 * Answers that hold as long as the head does, by method and parameters. What is kept follows the id of an answer. It
 * lies in the native core, which answers ordinary requests from it by itself; here are those in batches and in
 * unusual form. When there is no more room the oldest go.
 */
export class AnswerCache {
  readonly #kept: FrontAnswers
  readonly #isOn: boolean
  /** Counts {@link forget}. */
  #version = 0

  /** @param isOn whether there is room for anything */
  constructor(kept: FrontAnswers, isOn: boolean) {
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
   * @param method place in METHODS
   */
  find(method: number, params: string): string | null {
    return this.#kept.find(method, params)
  }

  /** Lookups so far, those of the native core included, and what is kept now. */
  figures(): CacheFigures {
    return this.#kept.keptFigures()
  }

  /** A sink that keeps an answer on its way unless the head changed since the question. */
  keeping(method: number, params: string, id: string, sink: AnswerSink): AnswerSink {
    const version = this.#version
    return (body, status) => {
      if (status === 200 && version === this.#version && body.length > 0) {
        const text = typeof body === 'string' ? body : toText(body)
        const start = ANSWER_HEAD.length + id.length
        if (canStay(text, start)) this.#kept.keep(method, params, text.slice(start))
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
function canStay(answer: string, start: number): boolean {
  return (
    answer.startsWith(RESULT, start) && !answer.startsWith(NO_RESULT, start) && !answer.includes(NOT_MINED)
  )
}

function toText(body: Uint8Array): string {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')
}
