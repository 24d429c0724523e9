import type { EncodedObjectCache } from '../../native/encodedObjectCache.ts'
import {
  ANSWER_OFFSET,
  DECLINED,
  KEPT_BIT,
  NativeFastPath,
  UNKNOWN_BLOCK_CONTEXT,
  UNKNOWN_STATE,
  UNKNOWN_TEXT,
  WAITS,
} from '../../native/nativeFastPath.ts'
import type { StateStore } from '../../native/stateStore.ts'
import type { NodeContext } from '../../rpc/context.ts'
import { type BlockSelector, blockId, blockRef } from '../../rpc/params/blockSelector.ts'
import { findHeader, isRecent } from '../../rpc/select/resolveBlock.ts'
import type { Router } from '../router.ts'
import type { TurnSnapshot } from '../turnSnapshot.ts'

/** Bytes of the memory that answers are written to; longer ones are left to the workers. */
const MOST_BYTES = 1024 * 1024

/** Answers up to this length have a view of their memory that is made once. */
const USUAL_BYTES = 4096

const STATE_BLOCK = blockRef()
const TEXT_BLOCK = blockId({ pending: false })

/** What the fast path are made of. */
export interface FastPathParts {
  readonly router: Router
  readonly texts: EncodedObjectCache
  /** Where the state is; none in tests of the envelope. */
  readonly stateStore?: StateStore | undefined
  readonly snapshot: TurnSnapshot
  readonly batch: number
  readonly answerBytes: number
  readonly keptBytes: number
}

/** An answered batch. */
export interface BatchAnswer {
  /** Valid until the next answer. */
  readonly body: Uint8Array
  /** The place of the method of each request. */
  readonly methods: readonly number[]
}

/**
 * Answers ordinary requests in the front thread in one native call, where that takes microseconds and no disk: a hop
 * to a worker costs twenty times as much as a read of an account. What that call does not know of the chain is looked
 * up once at each head. Everything else is declined: workers answer it, after which it is in memory.
 */
export class FastPath {
  readonly native: NativeFastPath
  /** Places of the methods that read the state. */
  readonly #stateMethods: readonly number[]
  readonly #snapshot: TurnSnapshot
  readonly #maxAnswerBytes: number
  readonly #places: Uint8Array
  readonly #out: Buffer
  readonly #head: Uint32Array
  /** By length: answers of usual length. */
  readonly #views: (Uint8Array | undefined)[] = []
  #isTurnCounted = false
  /** Whether the last request is a call that waits for {@link run}. */
  waits = false
  /** Whether the last request was declined because its simulation is too long for this thread or reads the disk. */
  wasTooLong = false

  constructor(parts: FastPathParts) {
    const { router, texts, stateStore, snapshot, answerBytes } = parts
    const methods = router.frontMethods
    this.native = new NativeFastPath(methods, texts, parts.keptBytes)
    const { node, execution } = snapshot.context
    if (stateStore !== undefined) {
      const { callGasCap: callGas, estimateGasCap: estimateGas } = node.settings
      this.native.readState({ store: stateStore, spec: execution.spec, callGas, estimateGas })
    }
    this.#stateMethods = methods.filter(({ read }) => read !== null).map(({ index }) => index)
    this.#snapshot = snapshot
    this.#maxAnswerBytes = answerBytes
    this.#places = new Uint8Array(parts.batch + 1)
    this.#out = Buffer.allocUnsafeSlow(ANSWER_OFFSET + Math.min(answerBytes, MOST_BYTES))
    this.#head = new Uint32Array(this.#out.buffer, 0, 1)
  }

  /** Place of the method of the last request that was answered or waits. */
  get method(): number {
    return (this.#head[0] ?? 0) & (KEPT_BIT - 1)
  }

  /** Whether the last answer was a kept one. */
  get isKept(): boolean {
    return ((this.#head[0] ?? 0) & KEPT_BIT) !== 0
  }

  /**
   * Answers a body that is one ordinary request. The answer is valid until the next one; null when the request
   * {@link waits} or is left to others.
   */
  answer(body: ArrayBuffer | Uint8Array): Uint8Array | null {
    let length = this.native.answer(body, this.#out)
    if ((length === UNKNOWN_STATE && this.#nameStates()) || (length === UNKNOWN_TEXT && this.#findText())) {
      length = this.native.answer(body, this.#out)
    }
    this.waits = length === WAITS
    return this.#view(length)
  }

  /** Executes the call that waits, whose caller has paid for it; null when it is left to others. */
  run(): Uint8Array | null {
    this.#countTurn()
    let length = this.native.run(this.#out)
    if (length === UNKNOWN_BLOCK_CONTEXT && this.#setBlockContext()) length = this.native.run(this.#out)
    return this.#view(length)
  }

  /** Answers a batch of nothing but reads of the state; null when it is left to others. */
  answerBatch(body: Uint8Array): BatchAnswer | null {
    let length = this.native.answerBatch(body, this.#places, this.#out)
    if (length === UNKNOWN_STATE && this.#nameStates()) {
      length = this.native.answerBatch(body, this.#places, this.#out)
    }
    if (length <= DECLINED || length > this.#maxAnswerBytes) return null
    const methods: number[] = []
    const count = this.#places[0] ?? 0
    for (let i = 1; i <= count; i++) {
      const method = this.#stateMethods[this.#places[i] ?? 0]
      if (method === undefined) return null
      methods.push(method)
    }
    return { body: this.#out.subarray(0, length), methods }
  }

  /** The answer that ends there; null where none was written. */
  #view(end: number): Uint8Array | null {
    if (end <= ANSWER_OFFSET) return null
    if (end > USUAL_BYTES) return this.#out.subarray(ANSWER_OFFSET, end)
    let view = this.#views[end]
    if (view === undefined) {
      view = new Uint8Array(this.#out.buffer, ANSWER_OFFSET, end - ANSWER_OFFSET)
      this.#views[end] = view
    }
    return view
  }

  #countTurn(): void {
    if (this.#isTurnCounted) return
    this.#isTurnCounted = true
    setImmediate(() => {
      this.#isTurnCounted = false
      this.native.endTurn()
    })
  }

  /** Finds the states of the blocks that the last call did not know; whether it found all. */
  #nameStates(): boolean {
    return this.native.unknownBlocks().every((name) => {
      const root = this.#lookUp((context) => {
        const selector = STATE_BLOCK.parse(name, '')
        const header = this.#isQuick(selector) ? findHeader(context, selector) : null
        return header === null ? null : context.state.rootAfter(header)
      })
      if (root !== null) this.native.nameState(name, root)
      return root !== null
    })
  }

  /** Finds out which block the last call did not know; whether it is such that the request can be answered. */
  #findText(): boolean {
    const unknown = this.native.unknownText()
    if (unknown === null) return false
    const { name } = unknown
    if (name === undefined) {
      const canonical = this.#lookUp(({ chain }) => chain.hashByNumber(unknown.number))
      const isCanonical = canonical?.equals(unknown.hash) === true
      if (isCanonical) this.native.confirm(unknown.hash)
      return isCanonical
    }
    const hash = this.#lookUp((context) => {
      const selector = TEXT_BLOCK.parse(name, '')
      if (!this.#isQuick(selector)) return null
      if (selector.kind === 'number') return context.chain.hashByNumber(Number(selector.number))
      return findHeader(context, selector)?.hash ?? null
    })
    if (hash === null) return false
    this.native.nameBlock(name, hash)
    return true
  }

  /** Names the newest block, which calls see; whether it could be read. */
  #setBlockContext(): boolean {
    const place = this.#lookUp(({ chain, execution }) => {
      const { root, block } = execution.placeAfter(chain.head())
      this.native.setBlockContext(root, block)
      return root
    })
    return place !== null
  }

  /** Whether a block is found without the disk: the first one always is. */
  #isQuick(selector: BlockSelector): boolean {
    return selector.kind === 'tag' || isRecent(this.#snapshot.context, selector)
  }

  /** What is found; null for what cannot be, of which the method's own code says what is wrong. */
  #lookUp<T>(find: (context: NodeContext) => T | null): T | null {
    try {
      this.#snapshot.take()
      return find(this.#snapshot.context)
    } catch {
      return null
    }
  }
}
