import type { CallEngine as NativeCallEngine } from '../../native/addon/index.d.ts'
import { addon } from './addon.ts'
import type { NativeChainSpec } from './chainSpec.ts'
import { native } from './errors.ts'
import type { StateStore } from './stateStore.ts'
import type { BlockEnvironment, CallOverride, CallResult } from './types.ts'

/** Output or gas as hex text, or how it ended otherwise. */
export type CallAnswer = string | CallResult

/**
 * Executes packed calls (`execution/packedCall.ts`) on the state after a block; nothing is kept. Flags hold the
 * interrupt slot that the message names. Calls throw NativeError: `Interrupted` when it was stopped, `MissingState`
 * when the state is not here.
 */
export class CallEngine {
  readonly #handle: NativeCallEngine

  constructor(spec: NativeChainSpec, store: StateStore) {
    this.#handle = native(() => new addon.CallEngine(spec, store.handle))
  }

  /** Names root and block of the calls that follow. */
  setBlockContext(root: Uint8Array, block: BlockEnvironment): void {
    native(() => this.#handle.setBlockContext(root, block))
  }

  /** Names a connected block for the calls that follow; false where the store does not know all of it. */
  setBlock(hash: Uint8Array): boolean {
    return native(() => this.#handle.setBlock(hash))
  }

  /** Executes a call: its output. */
  call(message: Uint8Array, flags?: Int32Array, overrides?: CallOverride[]): CallAnswer {
    return native(() => this.#handle.call(message, flags, overrides))
  }

  /** The gas limit with which a transaction succeeds: executed, and at most 2 % above the least. */
  estimateGas(message: Uint8Array, flags?: Int32Array, overrides?: CallOverride[]): CallAnswer {
    return native(() => this.#handle.estimateGas(message, flags, overrides))
  }
}
