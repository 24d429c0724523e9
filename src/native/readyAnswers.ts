import type { ReadyAnswers as NativeReadyAnswers, ReadySubject } from '../../native/addon/index.d.ts'
import { addon } from './addon.ts'
import { native } from './errors.ts'
import type { KeptTexts } from './keptTexts.ts'

/** Result of a call that left the request to others. */
export const DECLINED = 0
/** Result of a call that has to be repeated when {@link ReadyAnswers.unknown} is known. */
export const UNKNOWN = -1

/** What a method tells of, by its first parameter: the hash of a transaction, or number or tag of a block. */
export type ReadyName = 'receipt' | 'transaction' | 'block'

const SUBJECTS: Readonly<Record<ReadyName, ReadySubject>> = {
  receipt: addon.ReadySubject.Receipt,
  transaction: addon.ReadySubject.Transaction,
  block: addon.ReadySubject.Block,
}

/** Where in a body the parts of a request lie. */
export interface ReadyRequestParts {
  readonly idStart: number
  readonly idEnd: number
  readonly paramsStart: number
  readonly paramsEnd: number
}

/** What has to be known of the chain: the block of a name, or whether a block is canonical. */
export type UnknownBlock =
  | { readonly name: string }
  | { readonly name?: undefined; readonly hash: Buffer; readonly number: number }

/** Answers requests from kept texts, from their bytes to the bytes of the answer, at one head of the chain. */
export class ReadyAnswers {
  readonly #handle: NativeReadyAnswers

  constructor(texts: KeptTexts) {
    this.#handle = native(() => new addon.ReadyAnswers(texts.handle))
  }

  /** Answers a request. @returns length of the answer, {@link DECLINED} or {@link UNKNOWN} */
  answer(subject: ReadyName, body: Uint8Array, parts: ReadyRequestParts, out: Uint8Array): number {
    const { idStart, idEnd, paramsStart, paramsEnd } = parts
    return this.#handle.answer(SUBJECTS[subject], body, idStart, idEnd, paramsStart, paramsEnd, out)
  }

  /** What the last call did not know. */
  unknown(): UnknownBlock | null {
    const unknown = this.#handle.unknown()
    if (unknown === null) return null
    const { name, hash, number } = unknown
    if (name != null) return { name }
    return hash == null || number == null ? null : { hash, number }
  }

  /** Says that a block is canonical. */
  confirm(hash: Uint8Array): void {
    native(() => this.#handle.confirm(hash))
  }

  /** Says which block a name stands for. */
  nameBlock(name: string, hash: Uint8Array): void {
    native(() => this.#handle.name(name, hash))
  }

  /** Forgets what is known of the chain: the head changed. */
  forget(): void {
    this.#handle.forget()
  }
}
