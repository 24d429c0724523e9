import type { RpcError } from '../rpc/errors.ts'
import { errorAnswer } from '../rpc/execute.ts'
import { idOfAnswer } from './envelope/answerId.ts'
import type { AnswerSink } from './scheduler/ticket.ts'

/** Memory of the client, held until the end of its exchange. */
export interface BatchMemory {
  /** Takes bytes; false when the client has too few left. */
  hold(bytes: number): boolean
  /** The error to answer with then. */
  refusal(bytes: number): RpcError
}

/**
 * Gathers the answers of a batch in the order of its requests and hands on the array when all are
 * there. Slots of notifications are left out (decisions.md D21); when nothing is left the answer is empty.
 */
export class BatchCollector {
  readonly #parts: (string | Uint8Array | null)[] = []
  readonly #maxBytes: number
  readonly #tooLarge: () => string
  readonly #sink: AnswerSink
  readonly #memory: BatchMemory
  #open = 1
  #bytes = 0
  /** The error that the client has too much in memory, to the request of an id. */
  #refused = { id: '', text: '' }

  /** @param memory from which answers draw until all are there */
  constructor(maxBytes: number, tooLarge: () => string, memory: BatchMemory, sink: AnswerSink) {
    this.#maxBytes = maxBytes
    this.#tooLarge = tooLarge
    this.#memory = memory
    this.#sink = sink
  }

  /** The sink of the next element. @param isRefusal whether its answer is a short error, which takes no memory */
  slot(isRefusal = false): AnswerSink {
    const index = this.#parts.push(null) - 1
    this.#open += 1
    return (body) => {
      this.#keep(index, body, isRefusal)
      this.#close()
    }
  }

  /** Adds the answer of the next element, which is there. @param isRefusal as for {@link slot} */
  add(body: string, isRefusal = false): void {
    this.#keep(this.#parts.push(null) - 1, body, isRefusal)
  }

  /** Says that there are no more elements. */
  end(): void {
    this.#close()
  }

  #keep(index: number, body: string | Uint8Array, isRefusal: boolean): void {
    this.#bytes += body.length
    if (body.length === 0) return
    if (this.#bytes > this.#maxBytes) {
      // None of them is sent.
      this.#parts.fill(null)
      return
    }
    if (isRefusal || this.#memory.hold(body.length)) {
      // What comes from others may lie in memory that the next answer takes.
      this.#parts[index] = typeof body === 'string' ? body : Uint8Array.from(body)
      return
    }
    const id = idOfAnswer(body)
    // Most batches have thousands of one id, or each its own.
    if (this.#refused.id !== id) {
      this.#refused = { id, text: errorAnswer(id, this.#memory.refusal(body.length)).text }
    }
    const { text } = this.#refused
    this.#bytes += text.length - body.length
    this.#parts[index] = text
  }

  #close(): void {
    this.#open -= 1
    if (this.#open > 0) return
    if (this.#bytes > this.#maxBytes) this.#sink(this.#tooLarge(), 200)
    else this.#sink(this.#join(), 200)
  }

  #join(): string | Uint8Array {
    const parts = this.#parts.filter((part) => part !== null)
    if (parts.length === 0) return ''
    if (parts.every((part) => typeof part === 'string')) return `[${parts.join(',')}]`
    const pieces: Uint8Array[] = []
    parts.forEach((part, i) => {
      pieces.push(i === 0 ? OPEN : COMMA, typeof part === 'string' ? Buffer.from(part, 'utf8') : part)
    })
    pieces.push(CLOSE)
    return Buffer.concat(pieces)
  }
}

const OPEN = Buffer.from('[')
const COMMA = Buffer.from(',')
const CLOSE = Buffer.from(']')
