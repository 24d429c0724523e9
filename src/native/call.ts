import { addon } from './addon.ts'
import type { NativeChainSpec } from './chainSpec.ts'
import { native } from './errors.ts'
import type { StateStore } from './stateStore.ts'
import type { CallInput, CallResult } from './types.ts'

/**
 * Executes a call on a state; nothing is kept.
 * @throws NativeError `Interrupted` when it was stopped, `MissingState` when the root is not here, `Unsupported`
 *   for a part of the Bridge that this node does not have
 */
export function callNative(spec: NativeChainSpec, store: StateStore, input: CallInput): CallResult {
  return native(() => addon.call(spec, store.handle, input))
}

/**
 * The gas limit with which a transaction succeeds when it is sent: executed, and at most 2 % above the least.
 * @throws NativeError as {@link callNative}
 */
export function estimateGasNative(spec: NativeChainSpec, store: StateStore, input: CallInput): CallResult {
  return native(() => addon.estimateGas(spec, store.handle, input))
}
