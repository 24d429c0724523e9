import { addon } from './addon.ts'
import type { NativeChainSpec } from './chainSpec.ts'
import { native } from './errors.ts'
import type { StateStore } from './stateStore.ts'
import type { CallInput, CallResult } from './types.ts'

/**
 * Executes a call on a state, with everything that came of it; nothing is kept.
 * @throws NativeError `Interrupted` when it was stopped, `MissingState` when the root is not here
 */
export function callNative(spec: NativeChainSpec, store: StateStore, input: CallInput): CallResult {
  return native(() => addon.call(spec, store.handle, input))
}
