import { DECLINED, StateReads, UNKNOWN_BLOCKS } from '../native/stateReads.ts'
import type { StateStore } from '../native/stateStore.ts'
import type { MethodDefinition, StateRead } from '../rpc/defineMethod.ts'
import { blockRef } from '../rpc/shared/params/blockSelector.ts'
import { findHeader } from '../rpc/shared/resolveBlock.ts'
import type { RequestScanner } from './scanRequest.ts'
import type { TurnSnapshot } from './turnSnapshot.ts'

/** Bytes of the memory that answers are written to; longer ones are left to the workers. */
const MOST_BYTES = 1024 * 1024

/**
 * Heights below the head whose blocks are looked up in the front thread, about two days of the main network. What is
 * further down may lie on pages that have to be read from disk first: workers may wait for that.
 */
const MOST_DEPTH = 8192

const BLOCK = blockRef()

/** An answered batch. */
export interface BatchAnswer {
  /** Valid until the next answer. */
  readonly body: Uint8Array
  /** The method of each request. */
  readonly methods: readonly StateMethod[]
}

/** A method that reads the state, by a name that requests use. */
export interface StateMethod {
  readonly name: string
  readonly read: StateRead
  readonly definition: MethodDefinition
  /** Place of the method. */
  readonly index: number
}

/**
 * Answers reads of the state in the front thread where that takes a few microseconds and no disk: a read of an
 * account costs a twentieth of the way to a worker and back. Everything else is declined: workers answer it, after
 * which it is in memory.
 */
export class StateAnswers {
  readonly #reads: StateReads
  readonly #methods: readonly StateMethod[]
  readonly #snapshot: TurnSnapshot
  readonly #maxAnswerBytes: number
  readonly #places: Uint8Array
  readonly #out = Buffer.allocUnsafeSlow(MOST_BYTES)

  /** @param methods in the order of their places */
  constructor(
    store: StateStore,
    methods: readonly StateMethod[],
    snapshot: TurnSnapshot,
    limits: { readonly batch: number; readonly answerBytes: number },
  ) {
    this.#reads = new StateReads(
      store,
      methods.map(({ name, read }) => ({ name, read })),
    )
    this.#methods = methods
    this.#snapshot = snapshot
    this.#maxAnswerBytes = limits.answerBytes
    this.#places = new Uint8Array(limits.batch + 1)
  }

  /**
   * Answers the request that was scanned; null when it is left to others. The answer is valid until the next.
   * @param place of its method
   */
  answer(place: number, body: Uint8Array, scanned: RequestScanner): Uint8Array | null {
    let length = this.#reads.answer(place, body, scanned, this.#out)
    if (length === UNKNOWN_BLOCKS) {
      length = this.#nameBlocks() ? this.#reads.answer(place, body, scanned, this.#out) : DECLINED
    }
    return this.#written(length)
  }

  /** Answers a batch of nothing but reads of the state; null when it is left to others. */
  answerBatch(body: Uint8Array): BatchAnswer | null {
    let length = this.#reads.answerBatch(body, this.#places, this.#out)
    if (length === UNKNOWN_BLOCKS) {
      length = this.#nameBlocks() ? this.#reads.answerBatch(body, this.#places, this.#out) : DECLINED
    }
    const written = this.#written(length)
    if (written === null) return null
    const methods: StateMethod[] = []
    const count = this.#places[0] ?? 0
    for (let i = 1; i <= count; i++) {
      const method = this.#methods[this.#places[i] ?? 0]
      if (method === undefined) return null
      methods.push(method)
    }
    return { body: written, methods }
  }

  /** To be called when the head or its state changed. */
  forget(): void {
    this.#reads.forgetBlocks()
  }

  #written(length: number): Uint8Array | null {
    return length > 0 && length <= this.#maxAnswerBytes ? this.#out.subarray(0, length) : null
  }

  /** Finds the states of the blocks that the last call did not know; whether it found all. */
  #nameBlocks(): boolean {
    this.#snapshot.take()
    for (const name of this.#reads.unknownBlocks()) {
      const root = this.#rootOf(name)
      if (root === null) return false
      this.#reads.nameBlock(name, root)
    }
    return true
  }

  /** Root of the state after a block that is quick to find. */
  #rootOf(name: string): Buffer | null {
    const { context } = this.#snapshot
    try {
      const selector = BLOCK.parse(name, '')
      if (selector.kind === 'hash') return null
      if (selector.kind === 'number') {
        const depth = BigInt(context.chain.head().number) - selector.number
        if (depth < 0n || depth > MOST_DEPTH) return null
      }
      const header = findHeader(context, selector)
      return header === null ? null : context.state.rootAfter(header)
    } catch {
      // The method's own code says what is wrong.
      return null
    }
  }
}
