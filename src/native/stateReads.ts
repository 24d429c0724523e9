import type { StateReads as NativeStateReads, StateReadMethod } from '../../native/addon/index.d.ts'
import { addon } from './addon.ts'
import { native } from './errors.ts'
import type { StateStore } from './stateStore.ts'

/** Result of a call that left the request to others. */
export const DECLINED = 0
/** Result of a call that has to be repeated after {@link StateReads.nameBlock}. */
export const UNKNOWN_BLOCKS = -1

/** Where in a body the parts of a request lie. */
export interface RequestParts {
  readonly idStart: number
  readonly idEnd: number
  readonly paramsStart: number
  readonly paramsEnd: number
}

/**
 * Answers requests that read the state, from their bytes to the bytes of the answer. Reads memory only: what is
 * on disk alone is left to others. Calls that answer give the length of the answer.
 */
export class StateReads {
  readonly #handle: NativeStateReads

  /** @param methods named by their place in the calls */
  constructor(store: StateStore, methods: readonly StateReadMethod[]) {
    this.#handle = native(() => new addon.StateReads(store.handle, methods as StateReadMethod[]))
  }

  /** Answers one request of a method. */
  answer(place: number, body: Uint8Array, parts: RequestParts, out: Uint8Array): number {
    const { idStart, idEnd, paramsStart, paramsEnd } = parts
    return this.#handle.answer(place, body, idStart, idEnd, paramsStart, paramsEnd, out)
  }

  /** Answers a batch; `places` gets the number of requests, then the place of the method of each. */
  answerBatch(body: Uint8Array, places: Uint8Array, out: Uint8Array): number {
    return this.#handle.answerBatch(body, places, out)
  }

  /** Names of blocks, as they stand in requests, for which a call gave {@link UNKNOWN_BLOCKS}. */
  unknownBlocks(): string[] {
    return this.#handle.unknownBlocks()
  }

  /** Says which state a name stands for. */
  nameBlock(name: string, root: Uint8Array): void {
    native(() => this.#handle.nameBlock(name, root))
  }

  /** Forgets what names stand for: they may stand for others. */
  forgetBlocks(): void {
    this.#handle.forgetBlocks()
  }
}
