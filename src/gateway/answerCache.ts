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

/** An entry may take this part of the whole at most, so that one large answer does not push out all others. */
const LARGEST_PART = 8
/** Bytes that an entry takes besides its texts, about. */
const ENTRY_BYTES = 128

/**
 * Answers that hold as long as the head does, by method and parameters. What is kept follows the id of an
 * answer. When there is no more room the oldest go.
 */
export class AnswerCache {
  readonly #maxBytes: number
  readonly #kept = new Map<string, string>()
  #bytes = 0
  /** Counts {@link forget}. */
  #version = 0
  #hits = 0
  #misses = 0

  /** @param maxBytes bytes of all texts; 0 keeps nothing */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /**
   * Key of a request; null when its answer cannot be kept: it may ask for the pending block, which changes
   * all the time. Escapes could hide that.
   * @param method place in METHODS
   * @param params JSON text
   */
  keyOf(method: number, params: string): string | null {
    if (this.#maxBytes === 0 || params.includes('pending') || params.includes('\\')) return null
    return String.fromCharCode(method) + params
  }

  /** What follows the id. */
  find(key: string): string | undefined {
    const kept = this.#kept.get(key)
    if (kept === undefined) this.#misses += 1
    else this.#hits += 1
    return kept
  }

  /** Lookups so far, and what is kept now. */
  figures(): CacheFigures {
    return { hits: this.#hits, misses: this.#misses, bytes: this.#bytes }
  }

  /** Keeps what follows the id of an answer. */
  keep(key: string, rest: string): void {
    const size = sizeOf(key, rest)
    if (size * LARGEST_PART > this.#maxBytes || this.#kept.has(key)) return
    this.#kept.set(key, rest)
    this.#bytes += size
    for (const [oldest, text] of this.#kept) {
      if (this.#bytes <= this.#maxBytes) break
      this.#kept.delete(oldest)
      this.#bytes -= sizeOf(oldest, text)
    }
  }

  /** A sink that keeps an answer on its way unless the head changed since the question. */
  keeping(key: string, id: string, sink: AnswerSink): AnswerSink {
    const version = this.#version
    return (body, status) => {
      if (status === 200 && version === this.#version && body.length > 0) {
        const text = typeof body === 'string' ? body : toText(body)
        const start = ANSWER_HEAD.length + id.length
        if (canStay(text, start)) this.keep(key, text.slice(start))
      }
      sink(body, status)
    }
  }

  /** Drops everything: the head is another one. */
  forget(): void {
    this.#version += 1
    this.#kept.clear()
    this.#bytes = 0
  }
}

function sizeOf(key: string, rest: string): number {
  return key.length + rest.length + ENTRY_BYTES
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
