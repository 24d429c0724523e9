import { createGenesis } from '../chain/genesis.ts'
import { checkActivationHeights } from '../chain/storedHeights.ts'
import { checkIdentity } from '../chain/tables/metadata.ts'
import type { NetworkSpec } from '../config/networkSpec.ts'
import { createNativeChainSpec } from '../native/chainSpec.ts'
import { lockDirectory } from '../native/directoryLock.ts'
import { StateStore } from '../native/stateStore.ts'
import { nameEditedStates } from '../state/editedStates.ts'
import { ChainEnvironment } from '../storage/chainEnvironment.ts'
import { StorageError } from '../storage/errors.ts'
import { makeLockFile } from '../storage/lockFile.ts'
import { hasStoreData } from '../storage/storeFile.ts'
import { assertNotEmptied, assertReadable, assertWhole, inUse, storeFolders } from './chainFolders.ts'
import { NativeGenesisState } from './genesisState.ts'

export interface OpenStoredChainOptions {
  readonly spec: NetworkSpec
  readonly dataDir: string
  /** Reads every page of the stores' files that is in use before they are opened. */
  readonly checksPages?: boolean
}

/** The stores of a data directory, for reading. */
export interface ReadOnlyStores {
  readonly environment: ChainEnvironment
  readonly stateStore: StateStore
  close(): Promise<void>
}

/**
 * Opens the chain that a data directory holds for reading alone, also where nothing can be written. No other process
 * may have the directory. Whether the state of the head is there is not asked.
 * @throws StorageError `STORAGE_ABSENT` where there is no chain, and as `openChain`
 */
export async function openStoredChain({
  spec,
  dataDir,
  checksPages = false,
}: OpenStoredChainOptions): Promise<ReadOnlyStores> {
  const folders = storeFolders(dataDir)
  // A marker of a restore, and one store without the other, are reported first.
  assertWhole(dataDir)
  assertReadable(folders, 'none')
  if (!folders.every(hasStoreData)) throw absent(dataDir)
  const lock = lockDirectory(dataDir, true)
  if (lock === null) throw inUse(dataDir)
  const closers = [async () => lock.release()]
  const close = async () => {
    for (const closer of closers.toReversed()) await closer()
  }
  try {
    assertReadable(folders, checksPages ? 'all' : 'quick')
    const [stateFolder, chainFolder] = folders
    for (const folder of folders) makeLockFileIfPossible(folder)
    const stateStore = StateStore.open(stateFolder, { readOnly: true })
    closers.push(async () => stateStore.close())
    const environment = new ChainEnvironment(chainFolder, { readOnly: true })
    closers.push(() => environment.close())
    assertNotEmptied(environment, folders)
    if (!checkIdentity(environment, genesisHash(spec))) throw absent(dataDir)
    checkActivationHeights(environment, spec)
    nameEditedStates(environment, stateStore)
    return { environment, stateStore, close }
  } catch (error) {
    await close()
    throw error
  }
}

function absent(dataDir: string): StorageError {
  return new StorageError('STORAGE_ABSENT', `${dataDir} holds no chain`)
}

function genesisHash(spec: NetworkSpec): Buffer {
  const nativeSpec = createNativeChainSpec(spec)
  return createGenesis(spec, new NativeGenesisState({ spec, nativeSpec, store: StateStore.inMemory() })).hash
}

/** Without it LMDB makes one where it can, and goes without on a file system that takes no writes. */
function makeLockFileIfPossible(folder: string): void {
  try {
    makeLockFile(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EROFS' && code !== 'EACCES') throw error
  }
}
