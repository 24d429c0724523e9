import type {
  FastCallStats,
  FastMethod,
  FastPath,
  MethodName,
  ResponseCacheStats,
} from '../../native/addon/index.d.ts'
import { addon } from './addon.ts'
import type { NativeChainSpec } from './chainSpec.ts'
import type { EncodedObjectCache } from './encodedObjectCache.ts'
import { native } from './errors.ts'
import type { StateStore } from './stateStore.ts'

/** Result of {@link NativeFastPath.answer} for a body of which something is left to others. */
export const PARTLY = 0
/** Results for bodies of which nothing is answered, the last of them for a batch of far too many elements. */
export const NO_JSON = -3
export const NESTED_TOO_DEEP = -4
export const BATCH_TOO_LARGE = -5

/** Bytes before the answers in the output. */
export const ANSWER_OFFSET = 4096
/**
 * Words of the output, u32 of this machine: flags of the body, number of the words of its records, then as many of
 * those as find room.
 */
export const FLAGS_WORD = 0
export const COUNT_WORD = 1
export const FIRST_RECORD_WORD = 2

/** Flags of a body: it is a batch, it is one of more requests than it may have. */
export const BATCH_FLAG = 1
export const REFUSED_FLAG = 2

/** Kinds of records, in their lowest byte; every record but that of a request is one word. */
export const REQUEST_RECORD = 0
export const INVALID_RECORD = 1
export const BATCH_BEGIN_RECORD = 2
export const BATCH_END_RECORD = 3

/**
 * Words of the record of a request: kind and flags; index of the method; first byte and end of the id, equal in a
 * notification; the same of the parameters, equal where there are none; the same of the answer, without
 * {@link ANSWER_OFFSET}, or of the method's text where it is unknown.
 */
export const REQUEST_WORDS = 8

/** Flags of a request: it has its answer, which was cached. */
export const ANSWERED_FLAG = 1 << 8
export const CACHED_FLAG = 1 << 9
/** Flags of a request without an answer: the response may be cached, is cached but too long, a call waits. */
export const CACHEABLE_FLAG = 1 << 10
export const TOO_LONG_FLAG = 1 << 11
export const WAITS_FLAG = 1 << 12

/** Indexes of a method whose name is unknown, and of one that is missing or no text. */
export const UNKNOWN_METHOD = 0xffff_ffff
export const NO_METHOD = 0xffff_fffe

export type { FastCallStats }

/** The methods that the native core answers from the bytes of a request. */
export type FastMethodName = `${FastMethod}`

/** A name that requests call a method by, and how it is answered. */
export interface MethodNameSpec {
  readonly name: string
  /** The number by which records name the method, below 2^15. */
  readonly index: number
  readonly fast: FastMethodName | null
  /** True when responses to parameters hold as long as the head does. */
  readonly isCached: boolean
  /** True when responses report reverts, in one of two forms. */
  readonly reportsReverts: boolean
}

/** Sources of states, and what calls on them need. */
export interface FastState {
  readonly store: StateStore
  readonly spec: NativeChainSpec
  /** Most gas of a call and of an estimate. */
  readonly callGas: bigint
  readonly estimateGas: bigint
  /** Blocks between the head and the blocks of the tags. */
  readonly safeDepth: number
  readonly finalizedDepth: number
}

/** The head that answers are given at. */
export interface FastHead {
  readonly hash: Buffer
  /** Root of the state after it; null where that cannot be read. */
  readonly root: Buffer | null
  /** Height of the lowest block that is kept. */
  readonly firstBlock: number
}

/** The parts of a fast path. */
export interface NativeFastPathParts {
  readonly methods: readonly MethodNameSpec[]
  readonly objects: EncodedObjectCache
  /** Requests that a batch may have. */
  readonly batch: number
  /** Bytes of cached responses; 0 keeps none. */
  readonly cachedBytes: number
  /** The memory that answers are written to from {@link ANSWER_OFFSET} on. It must not be transferred to another thread. */
  readonly out: Uint8Array
}

/** Not a method of the native class: finding its object again takes as long as an answer. */
type AnswerFunction = ReturnType<FastPath['answerFunction']>

/**
 * Parses bodies, and answers from their bytes to the bytes of the answer, at one head of the chain: reads of the state
 * as far as it is in memory, encoded objects, cached responses, short calls at the newest block.
 */
export class NativeFastPath {
  readonly #handle: FastPath
  readonly #answer: AnswerFunction
  readonly #answerInOtherForm: AnswerFunction
  readonly #run: ReturnType<FastPath['runFunction']>

  constructor({ methods, objects, batch, cachedBytes, out }: NativeFastPathParts) {
    const list = methods.map(({ fast, ...rest }): MethodName => {
      return fast === null ? rest : { ...rest, fast: fast as FastMethod }
    })
    const handle = native(() => new addon.FastPath(list, batch, objects.handle, cachedBytes))
    this.#handle = handle
    this.#answer = native(() => handle.answerFunction(false, out))
    this.#answerInOtherForm = native(() => handle.answerFunction(true, out))
    this.#run = native(() => handle.runFunction(out))
  }

  /** Answers from a state, too. */
  readState({ store, spec, ...limits }: FastState): void {
    native(() => this.#handle.readState(store.handle, spec, limits))
  }

  /**
   * Parses a body and answers what of it is in memory and short; a call is only read. The end of the answer where all
   * that was asked has one, else one of the results above.
   * @param otherForm whether the caller wants reverts in another form than the node's own
   */
  answer(body: ArrayBuffer | Uint8Array, otherForm: boolean): number {
    return otherForm ? this.#answerInOtherForm(body) : this.#answer(body)
  }

  /** Writes all records of the last body, where they did not fit in the output. */
  copyRecords(out: Uint8Array): void {
    this.#handle.copyRecords(out)
  }

  /** Executes the call that the last body asked for: the end of the answer, or one of the results above. */
  run(): number {
    return this.#run()
  }

  /** Says what the head is from now on. Blocks below it are known as far as the store has them in memory. */
  setHead({ hash, root, firstBlock }: FastHead): void {
    native(() => this.#handle.setHead(hash, root, firstBlock))
  }

  /** To be called when a turn of the thread in which calls were answered is over: they may take time again. */
  endTick(): void {
    this.#handle.endTurn()
  }

  /**
   * Cached responses that were found, calls that were executed here because there was none, and the bytes that are
   * kept.
   */
  responseCacheStats(): ResponseCacheStats {
    return this.#handle.responseCacheStats()
  }

  /** Calls and estimates that were executed here, and their gas. */
  callStats(): FastCallStats {
    return this.#handle.callStats()
  }

  /** The text after the id in a cached response to parameters. @param key of `responseKey` */
  find(key: number, params: Uint8Array): string | null {
    return this.#handle.find(key, params)
  }

  /** Keeps what follows the id in an answer to parameters, as UTF-8. @param key of `responseKey` */
  keep(key: number, params: Uint8Array, rest: Uint8Array): void {
    native(() => this.#handle.keep(key, params, rest))
  }

  /** Keeps what follows the id in answers to no parameters. */
  keepPlain(method: number, rest: string): void {
    native(() => this.#handle.keepPlain(method, rest))
  }

  /** Drops answers to no parameters. */
  forgetPlain(): void {
    this.#handle.forgetPlain()
  }

  /** Drops everything that depends on the head, which is unknown until it is set again. */
  forget(): void {
    this.#handle.forget()
  }
}
