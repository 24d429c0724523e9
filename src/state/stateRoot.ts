import { isActive } from '../config/activations.ts'
import { isDevelopmentNetwork, type NetworkSpec } from '../config/networkSpec.ts'
import { keccak256 } from '../native/crypto.ts'
import { NativeError } from '../native/errors.ts'
import type { StateStore } from '../native/stateStore.ts'
import { toHex } from '../util/bytes.ts'

/** Root of a trie without nodes: the hash of an empty string in RLP. */
const EMPTY_ROOT = keccak256(Buffer.from([0x80]))

/** The part of a header that identifies its state. */
export interface StateReference {
  readonly number: number
  readonly hash: Buffer
  readonly fields: { readonly stateRoot: Buffer }
}

/**
 * Unitrie root of the state after a block: the header's own from RSKIP126 on, before that the recorded one
 * (consensus.md §2.6). On a development chain users can edit the state after a block: the root of the edited
 * state is then used (`editedStates.ts`).
 * @throws NativeError `MissingState` when none was recorded
 */
export function stateRootAfter(spec: NetworkSpec, store: StateStore, header: StateReference): Buffer {
  const edited = isDevelopmentNetwork(spec) ? store.editedRoot(header.hash) : null
  return edited ?? stateRootOfHeader(spec, store, header)
}

/** The same without edits. @throws NativeError `MissingState` */
export function stateRootOfHeader(
  spec: NetworkSpec,
  store: Pick<StateStore, 'rootFor'>,
  header: StateReference,
): Buffer {
  const root = findStateRoot(spec, store, header)
  if (root === null)
    throw new NativeError('MissingState', `no state is known after the block ${toHex(header.hash)}`)
  return root
}

/** The same; null when none was recorded. */
export function findStateRoot(
  spec: NetworkSpec,
  store: Pick<StateStore, 'rootFor'>,
  header: StateReference,
): Buffer | null {
  const { stateRoot } = header.fields
  // What the chain has changed since the block that it goes on from.
  if (header.number === spec.fork?.number) return EMPTY_ROOT
  if (isActive(spec, 'rskip126', header.number)) return stateRoot
  // Stores of earlier versions recorded it under the header's own root, which nothing checks before RSKIP126.
  return store.rootFor(header.hash) ?? store.rootFor(stateRoot)
}
