import { addon } from './addon.ts'
import type { NativeChainSpec } from './chainSpec.ts'
import { native } from './errors.ts'
import type { StateStore } from './stateStore.ts'
import type { BlockToTrace, CallInput, CallTrace, TraceOptions, TransactionTrace } from './types.ts'

/**
 * Traces transactions of a block by executing it again on its parent's state (evm.md §6).
 * @throws NativeError `OutputLimit` when the texts are too large, `Interrupted` when it was stopped,
 *   `MissingState` when the parent's state is not here, `InvalidBlock`
 */
export function traceBlockNative(
  spec: NativeChainSpec,
  store: StateStore,
  block: BlockToTrace,
  options: TraceOptions,
): TransactionTrace[] {
  return native(() => addon.traceBlock(spec, store.handle, block, options))
}

/**
 * Traces a call on a state; nothing is kept.
 * @throws NativeError as {@link traceBlockNative}; `InvalidBlock` where the call cannot run at all
 */
export function traceCallNative(
  spec: NativeChainSpec,
  store: StateStore,
  input: CallInput,
  options: TraceOptions,
): CallTrace {
  return native(() => addon.traceCall(spec, store.handle, input, options))
}
