import type { FastPath, FrontMethod, ResponseCacheStats } from '../../native/addon/index.d.ts'
import { addon } from './addon.ts'
import type { NativeChainSpec } from './chainSpec.ts'
import type { EncodedObjectCache } from './encodedObjectCache.ts'
import { native } from './errors.ts'
import type { StateStore } from './stateStore.ts'
import type { BlockEnvironment } from './types.ts'

/** Result of a call that left the request to others, as -4 is that of one that is too long for this thread. */
export const DECLINED = 0
/** Result of a call that has to be repeated after {@link NativeFastPath.nameState}. */
export const UNKNOWN_STATE = -1
/** Result of a call that has to be repeated when {@link NativeFastPath.unknownText} is known. */
export const UNKNOWN_TEXT = -2
/** Result of a call that has to be repeated after {@link NativeFastPath.setBlockContext}. */
export const UNKNOWN_BLOCK_CONTEXT = -3

/** Bytes before an answer: u32 of this machine, the index of its method and {@link KEPT_BIT}. */
export const ANSWER_OFFSET = 4
/** Result of a call whose request is one that waits for {@link NativeFastPath.run}: the head alone. */
export const WAITS = ANSWER_OFFSET
/** In the head of an answer: it was kept. */
export const KEPT_BIT = 0x1_0000

/** What a method tells of, by its first parameter: the hash of a transaction, or number or tag of a block. */
export type EncodedSubjectName = 'receipt' | 'transaction' | 'block'

/**
 * A read of the state that the native core can answer by itself, with the parameters `address, block` or
 * `address, slot, block`: a balance or a nonce as QUANTITY, code as DATA, a cell as a word or as it is stored.
 */
export type StateReadName = 'balance' | 'transactionCount' | 'code' | 'cell' | 'cellBytes'

/** What a method asks of a call: its output, or the gas that it needs as a transaction. */
export type FastCallName = 'output' | 'estimate'

/** A name that requests call a method by, and how it is answered. */
export interface FrontMethodSpec {
  readonly name: string
  /** What answers name the method by, below 2^16. */
  readonly index: number
  readonly read: StateReadName | null
  readonly ready: EncodedSubjectName | null
  readonly call: FastCallName | null
  /** Whether answers to parameters hold as long as the head does. */
  readonly keeps: boolean
}

/** Where states are, and what calls on them need. */
export interface FrontState {
  readonly store: StateStore
  readonly spec: NativeChainSpec
  /** Most gas of a call and of an estimate. */
  readonly callGas: bigint
  readonly estimateGas: bigint
}

/** What has to be known of the chain: the block of a name, or whether a block is canonical. */
export type UnknownBlock =
  | { readonly name: string }
  | { readonly name?: undefined; readonly hash: Buffer; readonly number: number }

/**
 * Answers requests from their bytes to the bytes of the answer, at one head of the chain: reads of the state as far
 * as it is in memory, texts and answers that are kept, short calls at the newest block. Calls that answer give how
 * much was written, {@link ANSWER_OFFSET} included.
 */
export class NativeFastPath {
  readonly #handle: FastPath

  /** @param keptBytes bytes of cached responses; 0 keeps none */
  constructor(methods: readonly FrontMethodSpec[], texts: EncodedObjectCache, keptBytes: number) {
    const list = methods.map(
      ({ name, index, read, ready, call, keeps }): FrontMethod => ({
        name,
        index,
        keeps,
        ...(read === null ? {} : { read: read as NonNullable<FrontMethod['read']> }),
        ...(ready === null ? {} : { subject: ready as NonNullable<FrontMethod['subject']> }),
        ...(call === null ? {} : { call: call as NonNullable<FrontMethod['call']> }),
      }),
    )
    this.#handle = native(() => new addon.FastPath(list, texts.handle, keptBytes))
  }

  /** Answers from a state, too. Methods that read it have places in their order. */
  readState({ store, spec, callGas, estimateGas }: FrontState): void {
    native(() => this.#handle.readState(store.handle, spec, callGas, estimateGas))
  }

  /** Answers a body that is one ordinary request, or reads it where it is a call. */
  answer(body: ArrayBuffer | Uint8Array, out: Uint8Array): number {
    return this.#handle.answer(body, out)
  }

  /** Executes the call that the last request asked for. */
  run(out: Uint8Array): number {
    return this.#handle.run(out)
  }

  /**
   * Answers a batch of nothing but reads of the state, without the offset; `places` gets the number of requests,
   * then the place of the method of each.
   */
  answerBatch(body: Uint8Array, places: Uint8Array, out: Uint8Array): number {
    return this.#handle.answerBatch(body, places, out)
  }

  /** Names of blocks, as they stand in requests, for which a call gave {@link UNKNOWN_STATE}. */
  unknownBlocks(): string[] {
    return this.#handle.unknownBlocks()
  }

  /** Says which state the name of a block stands for. */
  nameState(name: string, root: Uint8Array): void {
    native(() => this.#handle.nameState(name, root))
  }

  /** What the last call that gave {@link UNKNOWN_TEXT} did not know. */
  unknownText(): UnknownBlock | null {
    const unknown = this.#handle.unknownText()
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
    native(() => this.#handle.nameBlock(name, hash))
  }

  /** Names state and block of the calls that follow. */
  setBlockContext(root: Uint8Array, block: BlockEnvironment): void {
    native(() => this.#handle.setBlockContext(root, block))
  }

  /** To be called when a turn of the thread in which calls were answered is over: they may take time again. */
  endTurn(): void {
    this.#handle.endTurn()
  }

  /** Lookups of cached responses to parameters that found one and that did not, and the bytes that are kept. */
  responseCacheStats(): ResponseCacheStats {
    return this.#handle.responseCacheStats()
  }

  /** What follows the id in a cached response to parameters. */
  find(method: number, params: string): string | null {
    return this.#handle.find(method, params)
  }

  /** Keeps what follows the id in an answer to parameters, as UTF-8. */
  keep(method: number, params: string, rest: Uint8Array): void {
    native(() => this.#handle.keep(method, params, rest))
  }

  /** Keeps what follows the id in answers to no parameters. */
  keepPlain(method: number, rest: string): void {
    native(() => this.#handle.keepPlain(method, rest))
  }

  /** Drops answers to no parameters. */
  forgetPlain(): void {
    this.#handle.forgetPlain()
  }

  /** Drops everything that depends on the head. */
  forget(): void {
    this.#handle.forget()
  }
}
