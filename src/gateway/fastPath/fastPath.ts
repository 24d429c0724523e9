import type { EncodedObjectCache } from '../../native/encodedObjectCache.ts'
import {
  ANSWER_OFFSET,
  BATCH_FLAG,
  COUNT_WORD,
  FIRST_RECORD_WORD,
  FLAGS_WORD,
  NativeFastPath,
  REFUSED_FLAG,
  UNKNOWN_BLOCK_CONTEXT,
  UNKNOWN_BLOCKS,
  WAITS_FLAG,
} from '../../native/nativeFastPath.ts'
import type { StateStore } from '../../native/stateStore.ts'
import type { NodeContext } from '../../rpc/context.ts'
import { type BlockSelector, blockRef } from '../../rpc/params/blockSelector.ts'
import { findHeader, isRecent } from '../../rpc/select/resolveBlock.ts'
import { hasId } from '../envelope/requestRecord.ts'
import type { Router } from '../router.ts'
import type { TickSnapshot } from '../tickSnapshot.ts'
import type { WrittenAnswers } from './writtenAnswers.ts'

/** Bytes of the memory that answers are written to; longer ones are left to the workers. */
const MAX_BYTES = 1024 * 1024

/** Answers up to this length have a view of their memory that is made once. */
const USUAL_BYTES = 4096

const BLOCK = blockRef()

/** The parts of the fast path. */
export interface FastPathParts {
  readonly router: Router
  readonly encodedObjects: EncodedObjectCache
  /** Where the state is; none in tests of the envelope. */
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
 * twenty times as much as a read of an account. What that call does not know of the chain is looked up once at each
 * head. Everything else is left to workers, after which it is in memory. What is said of a body holds until the next.
 */
export class FastPath implements WrittenAnswers {
  readonly native: NativeFastPath
  readonly #snapshot: TickSnapshot
  readonly #maxAnswerBytes: number
  readonly #out: Buffer
  readonly #head: Uint32Array
  readonly #records: Uint32Array
  /** By length: answers of usual length. */
  readonly #views: (Uint8Array | undefined)[] = []
  #isTickCounted = false
  #result = 0

  constructor(parts: FastPathParts) {
    const { router, encodedObjects, stateStore, snapshot, answerBytes, batch } = parts
    const cachedBytes = parts.responseCacheBytes
    this.native = new NativeFastPath({ methods: router.names, objects: encodedObjects, batch, cachedBytes })
    const { node, execution } = snapshot.context
    if (stateStore !== undefined) {
      const { callGasCap: callGas, estimateGasCap: estimateGas } = node.settings
      this.native.readState({ store: stateStore, spec: execution.spec, callGas, estimateGas })
    }
    this.#snapshot = snapshot
    this.#maxAnswerBytes = answerBytes
    this.#out = Buffer.allocUnsafeSlow(ANSWER_OFFSET + Math.min(answerBytes, MAX_BYTES))
    this.#head = new Uint32Array(this.#out.buffer, 0, ANSWER_OFFSET / Uint32Array.BYTES_PER_ELEMENT)
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
   * @param otherForm whether the caller wants to be told of reverts in another form than the node's own
   */
  answer(body: ArrayBuffer | Uint8Array, otherForm: boolean): Uint8Array | null {
    let end = this.native.answer(body, otherForm, this.#out)
    if (end === UNKNOWN_BLOCKS && this.#findBlocks()) end = this.native.answer(body, otherForm, this.#out)
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
    let end = this.native.run(this.#out)
    if (end === UNKNOWN_BLOCK_CONTEXT && this.#setBlockContext()) end = this.native.run(this.#out)
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

  /** Finds out about the blocks that the last call did not know; whether it found any. */
  #findBlocks(): boolean {
    let found = false
    for (const unknown of this.native.unknownBlocks()) {
      const { name } = unknown
      const isFound = name === undefined ? this.#confirm(unknown.hash, unknown.number) : this.#nameBlock(name)
      found = isFound || found
    }
    return found
  }

  /** Tells whether a block is canonical. */
  #confirm(hash: Buffer, number: number): boolean {
    const canonical = this.#lookUp(({ chain }) => chain.hashByNumber(number))
    if (canonical?.equals(hash) !== true) return false
    this.native.confirm(hash)
    return true
  }

  /** Tells which block a name stands for; whether it is such that requests for it can be answered. */
  #nameBlock(name: string): boolean {
    const header = this.#lookUp((context) => {
      const selector = BLOCK.parse(name, '')
      return this.#isQuick(selector) ? findHeader(context, selector) : null
    })
    if (header === null) return false
    this.native.nameBlock(
      name,
      header.hash,
      this.#lookUp(({ state }) => state.rootAfter(header)),
    )
    return true
  }

  /** Names the newest block, which calls see; whether it could be read. */
  #setBlockContext(): boolean {
    const root = this.#lookUp(({ chain, execution }) => {
      const { root, block } = execution.contextAfter(chain.head())
      this.native.setBlockContext(root, block)
      return root
    })
    return root !== null
  }

  /** True when a block is found without the disk: the first one always is. */
  #isQuick(selector: BlockSelector): boolean {
    return selector.kind === 'tag' || isRecent(this.#snapshot.context, selector)
  }

  /** The value that is found; null for one that cannot be, of which the method's own code says what is wrong. */
  #lookUp<T>(find: (context: NodeContext) => T | null): T | null {
    try {
      this.#snapshot.take()
      return find(this.#snapshot.context)
    } catch {
      return null
    }
  }
}
