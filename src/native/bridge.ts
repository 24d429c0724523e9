import type { BridgeState, InterruptSlot } from '../../native/addon/index.d.ts'
import { addon } from './addon.ts'
import type { NativeChainSpec } from './chainSpec.ts'
import { native } from './errors.ts'
import type { StateStore } from './stateStore.ts'
import type { BlockEnvironment } from './types.ts'

/**
 * What the Bridge contract tells of itself on the state under a root, under the rules of a block.
 * @throws NativeError `MissingState` when the root is not here, `CorruptState` when a cell does not parse,
 * `Interrupted` once the flag is raised
 */
export function bridgeState(
  spec: NativeChainSpec,
  store: StateStore,
  root: Uint8Array,
  block: BlockEnvironment,
  interrupt?: InterruptSlot,
): BridgeState {
  return native(() => addon.bridgeState(spec, store.handle, root, block, interrupt))
}

/**
 * Federations, funds and peg-outs on the state under a root, under the rules of a block: JSON text of an object.
 * @throws NativeError as {@link bridgeState}
 */
export function bridgeStatus(
  spec: NativeChainSpec,
  store: StateStore,
  root: Uint8Array,
  block: BlockEnvironment,
  interrupt?: InterruptSlot,
): string {
  return native(() => addon.bridgeStatus(spec, store.handle, root, block, interrupt))
}
