import type { HttpResponse } from 'uWebSockets.js'
import type { BlockReference } from '../chain/tables/blockKey.ts'

const text = new TextEncoder()
const NUMBER = text.encode('X-Block-Number')
const HASH = text.encode('X-Block-Hash')

/** The headers of an answer that scripts of pages are shown, beside those that browsers show anyway. */
const EXPOSED = 'X-Block-Number, X-Block-Hash'

/** Source of the head that answers are given at. */
export interface HeadSource {
  readonly block: BlockReference
}

/** Headers that say which block an answer was given at. */
export class AnswerHeaders {
  readonly #head: HeadSource
  /** The last block whose headers were written: most answers are given at the same one. */
  #block: BlockReference | null = null
  #number: Uint8Array = text.encode('')
  #hash: Uint8Array = text.encode('')

  /** @param head that answers of this thread are given at */
  constructor(head: HeadSource) {
    this.#head = head
  }

  /**
   * Writes the headers of an answer.
   * @param given the block that it was given at; null for the head
   * @param isForPages whether scripts of pages are to be shown them
   */
  write(response: HttpResponse, given: BlockReference | null, isForPages: boolean): void {
    this.#encode(given ?? this.#head.block)
    response.writeHeader(NUMBER, this.#number).writeHeader(HASH, this.#hash)
    if (isForPages) response.writeHeader('Access-Control-Expose-Headers', EXPOSED)
  }

  #encode(block: BlockReference): void {
    if (this.#block !== null && (block === this.#block || block.hash.equals(this.#block.hash))) return
    this.#block = block
    this.#number = text.encode(String(block.number))
    this.#hash = text.encode(`0x${block.hash.toString('hex')}`)
  }
}
