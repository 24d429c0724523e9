import type { KeptTexts } from '../native/keptTexts.ts'
import { DECLINED, ReadyAnswers, type ReadyName, UNKNOWN } from '../native/readyAnswers.ts'
import { blockId } from '../rpc/shared/params/blockSelector.ts'
import { findHeader } from '../rpc/shared/resolveBlock.ts'
import type { RequestScanner } from './scanRequest.ts'
import type { TurnSnapshot } from './turnSnapshot.ts'

/** Bytes of the memory that answers are written to; longer ones are left to the workers. */
const MOST_BYTES = 1024 * 1024

/** Heights below the head whose hashes are looked up in the front thread; what is further down may be on disk only. */
const MOST_DEPTH = 8192

const BLOCK = blockId({ pending: false })

/**
 * Answers in the front thread what workers have written before: receipts, transactions and blocks, whose text holds
 * as long as their block is canonical, which is looked up once at each head. Everything else is declined: workers
 * answer it, after which its text is kept.
 */
export class TextAnswers {
  readonly #ready: ReadyAnswers
  readonly #snapshot: TurnSnapshot
  readonly #maxAnswerBytes: number
  readonly #out = Buffer.allocUnsafeSlow(MOST_BYTES)

  constructor(texts: KeptTexts, snapshot: TurnSnapshot, maxAnswerBytes: number) {
    this.#ready = new ReadyAnswers(texts)
    this.#snapshot = snapshot
    this.#maxAnswerBytes = maxAnswerBytes
  }

  /** Answers the request that was scanned; null when it is left to others. The answer is valid until the next. */
  answer(subject: ReadyName, body: Uint8Array, scanned: RequestScanner): Uint8Array | null {
    let length = this.#ready.answer(subject, body, scanned, this.#out)
    if (length === UNKNOWN) {
      length = this.#lookUp() ? this.#ready.answer(subject, body, scanned, this.#out) : DECLINED
    }
    return length > 0 && length <= this.#maxAnswerBytes ? this.#out.subarray(0, length) : null
  }

  /** To be called when the head changed. */
  forget(): void {
    this.#ready.forget()
  }

  /** Finds out what the last call did not know; whether it is as the answer needs it. */
  #lookUp(): boolean {
    const unknown = this.#ready.unknown()
    if (unknown === null) return false
    this.#snapshot.take()
    if (unknown.name !== undefined) {
      const hash = this.#hashOf(unknown.name)
      if (hash !== null) this.#ready.nameBlock(unknown.name, hash)
      return hash !== null
    }
    const isCanonical =
      this.#snapshot.context.chain.hashByNumber(unknown.number)?.equals(unknown.hash) === true
    if (isCanonical) this.#ready.confirm(unknown.hash)
    return isCanonical
  }

  /** Hash of the block of a name that is quick to find. */
  #hashOf(name: string): Buffer | null {
    const { context } = this.#snapshot
    try {
      const selector = BLOCK.parse(name, '')
      if (selector.kind === 'hash') return null
      if (selector.kind === 'tag') return findHeader(context, selector)?.hash ?? null
      const depth = BigInt(context.chain.head().number) - selector.number
      return depth < 0n || depth > MOST_DEPTH ? null : context.chain.hashByNumber(Number(selector.number))
    } catch {
      // The method's own code says what is wrong.
      return null
    }
  }
}
