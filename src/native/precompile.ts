import { addon } from './addon.ts'
import type { NativeChainSpec } from './chainSpec.ts'
import { native } from './errors.ts'
import type { StateStore } from './stateStore.ts'
import type { BlockEnvironment, PrecompileCall } from './types.ts'

/** A precompiled contract called by itself. */
export interface CallPrecompileParams {
  /** Root of the state, 32 bytes. */
  readonly root: Uint8Array
  readonly block: BlockEnvironment
  /** 20 bytes. */
  readonly address: Uint8Array
  /** null is what a transaction without data hands over; some contracts tell it from empty. */
  readonly input: Uint8Array | null
  /** The contract runs only when its price is at most this. */
  readonly gasLimit: bigint
}

/** Prices a precompiled contract and runs it as if a transaction called it; null when none is active there. */
export function callPrecompile(
  spec: NativeChainSpec,
  store: StateStore,
  params: CallPrecompileParams,
): PrecompileCall | null {
  const { root, block, address, input, gasLimit } = params
  return native(() => addon.callPrecompile(spec, store.handle, root, block, address, input, gasLimit))
}
