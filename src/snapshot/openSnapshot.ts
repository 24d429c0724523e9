import type { Block } from '../chain/codec/block.ts'
import { createGenesis, type GenesisStateWriter } from '../chain/genesis.ts'
import type { NetworkSpec } from '../config/networkSpec.ts'
import { NativeGenesisState } from '../execution/genesisState.ts'
import { createNativeChainSpec } from '../native/chainSpec.ts'
import { StateStore } from '../native/stateStore.ts'
import { SnapshotError } from './errors.ts'
import { parseManifest, type ReadManifest } from './manifest.ts'
import { assertTrusted, type SnapshotTrust } from './snapshotTrust.ts'
import type { SnapshotSource } from './source.ts'

/** Creates another block 0 than the network's. */
export type GenesisMaker = (writer: GenesisStateWriter) => Block

/** Expectations of a snapshot. */
export interface SnapshotExpectation {
  readonly spec: NetworkSpec
  readonly source: SnapshotSource
  /** Trusted signers. */
  readonly trust: SnapshotTrust
  readonly genesis?: GenesisMaker
}

/** A verified manifest. */
export interface OpenedSnapshot extends ReadManifest {
  /** Block 0 of the chain. */
  readonly genesis: Block
}

/**
 * Reads and verifies the manifest of a snapshot: it must be of this network and chain, and have the required
 * signatures.
 * @throws SnapshotError
 */
export async function openSnapshot(expectation: SnapshotExpectation): Promise<OpenedSnapshot> {
  const { spec, source, trust } = expectation
  const read = parseManifest(await source.manifest())
  const { manifest } = read
  if (manifest.network !== spec.name) {
    throw new SnapshotError(
      'SNAPSHOT_NETWORK',
      `the snapshot is of the network ${manifest.network}, this node is of ${spec.name}`,
    )
  }
  const genesis = genesisOf(expectation)
  if (manifest.genesis !== genesis.hashHex) {
    throw new SnapshotError(
      'SNAPSHOT_NETWORK',
      `the snapshot is of a chain that begins with block ${manifest.genesis}, this one begins with ${genesis.hashHex}`,
    )
  }
  assertTrusted(read, await source.signatures(), trust)
  return { ...read, genesis }
}

function genesisOf({ spec, genesis }: SnapshotExpectation): Block {
  const store = StateStore.inMemory()
  const writer = new NativeGenesisState({ spec, nativeSpec: createNativeChainSpec(spec), store })
  return genesis?.(writer) ?? createGenesis(spec, writer)
}
