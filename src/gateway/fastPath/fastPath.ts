import type { BlockHeader } from '../../chain/codec/header.ts'
import type { EncodedObjectCache } from '../../native/encodedObjectCache.ts'
import {
  ANSWER_OFFSET,
  BATCH_FLAG,
  COUNT_WORD,
  FIRST_RECORD_WORD,
  FLAGS_WORD,
  NativeFastPath,
  REFUSED_FLAG,
  WAITS_FLAG,
} from '../../native/nativeFastPath.ts'
import type { StateStore } from '../../native/stateStore.ts'
import { hasId } from '../envelope/requestRecord.ts'
import type { Router } from '../router.ts'
import type { TickSnapshot } from '../tickSnapshot.ts'
import type { WrittenAnswers } from './writtenAnswers.ts'

/** Bytes of the memory that answers are written to; longer ones are left to the workers. */
const MAX_BYTES = 1024 * 1024

/** Answers up to this length have a view of their memory that is made once. */
const USUAL_BYTES = 4096

/** The parts of the fast path. */
export interface FastPathParts {
  readonly router: Router
  readonly encodedObjects: EncodedObjectCache
  /** Store of the state; none in tests of the envelope. */
  readonly stateStore?: StateStore | undefined
  readonly snapshot: TickSnapshot
  /** Requests that a batch may have. */
  readonly batch: number
  readonly answerBytes: number
  /** Bytes of cached responses. */
  readonly responseCacheBytes: number
}

/**
 * Has one native call parse a body and answer of it what takes microseconds and no disk: a hop to a worker costs
 * twenty times as much as a read of an account. The core gets the head with the first body after it moved;
 * the blocks below it are in its memory. Everything else is left to workers, after which it is in memory, too. What is
 * said of a body holds until the next.
 */
export class FastPath implements WrittenAnswers {
  readonly native: NativeFastPath
  readonly #snapshot: TickSnapshot
  readonly #maxAnswerBytes: number
  readonly #hasState: boolean
  readonly #out: Buffer
  readonly #head: Uint32Array
  readonly #records: Uint32Array
  /** By length: answers of usual length. */
  readonly #views: (Uint8Array | undefined)[] = []
  #isTickCounted = false
  #isHeadSet: boolean
  #result = 0

  constructor(parts: FastPathParts) {
    const { router, encodedObjects, stateStore, snapshot, answerBytes, batch } = parts
    const cachedBytes = parts.responseCacheBytes
    const out = Buffer.allocUnsafeSlow(ANSWER_OFFSET + Math.min(answerBytes, MAX_BYTES))
    this.native = new NativeFastPath({
      methods: router.names,
      objects: encodedObjects,
      batch,
      cachedBytes,
      out,
    })
    const { node, execution } = snapshot.context
    if (stateStore !== undefined) {
      const { callGasCap: callGas, estimateGasCap: estimateGas, safeDepth, finalizedDepth } = node.settings
      const { spec } = execution
      this.native.readState({ store: stateStore, spec, callGas, estimateGas, safeDepth, finalizedDepth })
    }
    this.#hasState = stateStore !== undefined
    this.#isHeadSet = !this.#hasState
    this.#snapshot = snapshot
    this.#maxAnswerBytes = answerBytes
    this.#out = out
    this.#head = new Uint32Array(out.buffer, 0, ANSWER_OFFSET / Uint32Array.BYTES_PER_ELEMENT)
    this.#records = this.#head.subarray(FIRST_RECORD_WORD)
  }

  /** True when the body is a batch. */
  get isBatch(): boolean {
    return ((this.#head[FLAGS_WORD] ?? 0) & BATCH_FLAG) !== 0
  }

  /** True when the body is a batch of more requests than it may have. */
  get isRefused(): boolean {
    return ((this.#head[FLAGS_WORD] ?? 0) & REFUSED_FLAG) !== 0
  }

  /** True when the body is one call, of a request that wants an answer, which waits for {@link run}. */
  get waits(): boolean {
    const words = this.#records
    return this.#result >= 0 && ((words[0] ?? 0) & WAITS_FLAG) !== 0 && hasId(words, 0)
  }

  /** The result of the native call: why nothing of the body is answered, where it is one of the faults. */
  get result(): number {
    return this.#result
  }

  /**
   * Parses a body. The answer where all of it has one, which is valid until the next body; null when the
   * {@link records} or the {@link result} say what else there is.
   * @param otherForm whether the caller wants reverts in another form than the node's own
   */
  answer(body: ArrayBuffer | Uint8Array, otherForm: boolean): Uint8Array | null {
    if (!this.#isHeadSet) this.#setHead()
    const end = this.native.answer(body, otherForm)
    this.#result = end
    if (end <= ANSWER_OFFSET) return null
    // The limit on batches counts answers alone.
    return end - ANSWER_OFFSET > this.#maxAnswerBytes ? null : this.#view(end)
  }

  /** Words of the records of the body. */
  get recordWords(): number {
    return this.#head[COUNT_WORD] ?? 0
  }

  /** The records of the body, behind which other words may stand. */
  records(): Uint32Array {
    const count = this.recordWords
    if (count <= this.#records.length) return this.#records
    const words = new Uint32Array(count)
    this.native.copyRecords(new Uint8Array(words.buffer))
    return words
  }

  part(start: number, end: number): Uint8Array {
    return this.#out.subarray(ANSWER_OFFSET + start, ANSWER_OFFSET + end)
  }

  /** Executes the call that waits, whose caller has paid for it; null when it is left to others. */
  run(): Uint8Array | null {
    this.#countTick()
    const end = this.native.run()
    return end <= ANSWER_OFFSET ? null : this.#view(end)
  }

  #view(end: number): Uint8Array {
    if (end > USUAL_BYTES + ANSWER_OFFSET) return this.#out.subarray(ANSWER_OFFSET, end)
    const length = end - ANSWER_OFFSET
    let view = this.#views[length]
    if (view === undefined) {
      view = new Uint8Array(this.#out.buffer, ANSWER_OFFSET, length)
      this.#views[length] = view
    }
    return view
  }

  #countTick(): void {
    if (this.#isTickCounted) return
    this.#isTickCounted = true
    setImmediate(() => {
      this.#isTickCounted = false
      this.native.endTick()
    })
  }

  /** Drops everything that depends on the head. */
  forget(): void {
    this.native.forget()
    this.#isHeadSet = !this.#hasState
  }

  /** Gives the core the head of this turn's snapshot, which everything in this thread is read at. */
  #setHead(): void {
    try {
      this.#snapshot.take()
      const { chain } = this.#snapshot.context
      const head = chain.head()
      this.native.setHead({
        hash: head.hash,
        root: this.#rootAfter(head),
        firstBlock: chain.history().firstBlock,
      })
      this.#isHeadSet = true
    } catch {
      // A store that a disk broke: the method's own code knows what to say.
    }
  }

  #rootAfter(head: BlockHeader): Buffer | null {
    try {
      return this.#snapshot.context.state.rootAfter(head)
    } catch {
      return null
    }
  }
}
