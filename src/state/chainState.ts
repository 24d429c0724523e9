import { isActive } from '../config/activations.ts'
import type { NetworkSpec } from '../config/networkSpec.ts'
import { NativeError } from '../native/errors.ts'
import type { StateStore } from '../native/stateStore.ts'

/** A block as far as its state is concerned. */
export interface StateOfBlock {
  readonly number: number
  readonly fields: { readonly stateRoot: Buffer }
}

/**
 * The root under which the state after a block is stored: the header's, or before RSKIP126 the one that was
 * kept for it (consensus.md §2.6).
 * @throws NativeError `MissingState`
 */
export function stateRootAfter(spec: NetworkSpec, store: StateStore, block: StateOfBlock): Buffer {
  const { stateRoot } = block.fields
  if (isActive(spec, 'rskip126', block.number)) return stateRoot
  const root = store.rootFor(stateRoot)
  if (root === null)
    throw new NativeError('MissingState', `no state is kept for root ${stateRoot.toString('hex')}`)
  return root
}

/** Whether the state after a block is stored. */
export function hasStateAfter(spec: NetworkSpec, store: StateStore, block: StateOfBlock): boolean {
  const { stateRoot } = block.fields
  const root = isActive(spec, 'rskip126', block.number) ? stateRoot : store.rootFor(stateRoot)
  return root !== null && store.hasRoot(root)
}
