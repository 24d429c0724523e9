import { ChainStoreReader } from '../chain/chainStoreReader.ts'
import { checkChainFormat } from '../chain/tables/metadata.ts'
import type { NetworkSpec } from '../config/networkSpec.ts'
import { storeFolders } from '../execution/chainFolders.ts'
import { NativeError } from '../native/errors.ts'
import { StateStore } from '../native/stateStore.ts'
import { stateRootOfHeader } from '../state/stateRoot.ts'
import { ChainEnvironment } from '../storage/chainEnvironment.ts'
import { SnapshotError } from './errors.ts'
import type { Manifest } from './manifest.ts'

/** A chain that a snapshot is compared with. */
export interface ComparedChain {
  readonly spec: NetworkSpec
  /** Of a chain, which a node may be using. */
  readonly dataDir: string
}

/**
 * Compares what a manifest says with a chain: its block has to be canonical there, with the same state and total
 * difficulty. What the chunks hold is another question (`verifySnapshot.ts`).
 * @throws SnapshotError `SNAPSHOT_CHAIN` with what differs, or for a block that the chain does not know
 */
export async function compareWithChain({ spec, dataDir }: ComparedChain, manifest: Manifest): Promise<void> {
  const [stateFolder, chainFolder] = storeFolders(dataDir)
  const environment = new ChainEnvironment(chainFolder, { readOnly: true })
  try {
    checkChainFormat(environment)
    const reader = new ChainStoreReader(spec, environment)
    const { number, hash } = manifest.block
    const header = reader.headerByNumber(number)
    if (header === null) throw differs(`block ${number} of the snapshot is not on this chain yet`)
    if (header.hashHex !== hash)
      throw differs(`block ${number} is ${header.hashHex} here, the snapshot says ${hash}`)
    const store = StateStore.open(stateFolder, { readOnly: true })
    const root = knownRoot(() => stateRootOfHeader(spec, store, header)).toString('hex')
    if (root !== manifest.stateRoot) {
      throw differs(
        `the state after block ${number} is ${root} here, the snapshot says ${manifest.stateRoot}`,
      )
    }
    if (reader.hasEditedState(header.hash))
      throw differs(`the state after block ${number} was edited by hand here`)
    const difficulty = String(reader.totalDifficulty(header.hash))
    if (difficulty !== manifest.totalDifficulty) {
      throw differs(
        `the total difficulty of block ${number} is ${difficulty} here, the snapshot says ${manifest.totalDifficulty}`,
      )
    }
  } finally {
    await environment.close()
  }
}

function knownRoot(read: () => Buffer): Buffer {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof NativeError) || error.code !== 'MissingState') throw error
    throw new SnapshotError('SNAPSHOT_CHAIN', error.message, { cause: error })
  }
}

function differs(message: string): SnapshotError {
  return new SnapshotError('SNAPSHOT_CHAIN', message)
}
