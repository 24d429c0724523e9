import type { BlockCandidates, BlockExecution, BlockToExecute } from '../../native/addon/index.d.ts'
import { addon } from './addon.ts'
import type { NativeChainSpec } from './chainSpec.ts'
import { native } from './errors.ts'
import type { StateStore } from './stateStore.ts'

/** The result of the execution of a block; nothing is kept until its `keep`. */
export type NativeBlockExecution = BlockExecution

/**
 * Executes a block on its parent's state (consensus.md §4.5).
 * @throws NativeError `InvalidBlock` when a transaction or the sublists make the block invalid
 */
export function executeBlock(
  spec: NativeChainSpec,
  store: StateStore,
  block: BlockToExecute,
): NativeBlockExecution {
  return native(() => addon.executeBlock(spec, store.handle, block))
}

/** Builds a block from candidates in the order of preference; invalid ones and those that do not fit are left out. */
export function buildBlock(
  spec: NativeChainSpec,
  store: StateStore,
  candidates: BlockCandidates,
): NativeBlockExecution {
  return native(() => addon.buildBlock(spec, store.handle, candidates))
}

/** Adds the accounts of the precompiled contracts to a genesis state and keeps it (consensus.md §1.5): its root. */
export function addGenesisContracts(spec: NativeChainSpec, store: StateStore, root: Uint8Array): Buffer {
  return native(() => addon.addGenesisContracts(spec, store.handle, root))
}
