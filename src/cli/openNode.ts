import { keptStates } from '../config/keptStates.ts'
import { configuredNetwork } from '../config/networks/configured.ts'
import type { Config } from '../config/schema.ts'
import { storeFolders } from '../execution/chainFolders.ts'
import { type OpenChain, openChain } from '../execution/openChain.ts'
import { openStoredChain, type ReadOnlyStores } from '../execution/openStoredChain.ts'
import { toNodeError } from '../node/errors.ts'
import { stateStoreOptionsFromConfig } from '../node/options/storeOptions.ts'
import { StorageError } from '../storage/errors.ts'
import { hasStoreData } from '../storage/storeFile.ts'

/**
 * Opens the data directory of a configuration for writing.
 * @throws NodeError when it cannot be used
 */
export function openConfiguredChain(config: Config): OpenChain {
  try {
    return openChain({
      spec: configuredNetwork(config),
      dataDir: config.dataDir,
      storeOptions: stateStoreOptionsFromConfig(config),
      proofs: keptStates(config.proofs),
      history: keptStates(config.history),
    })
  } catch (thrown) {
    throw toNodeError(thrown, config.dataDir)
  }
}

/**
 * Opens the data directory of a configuration for writing, where there is a chain already.
 * @throws NodeError when it cannot be used, or holds no chain
 */
export function openPresentChain(config: Config): OpenChain {
  const { dataDir } = config
  if (storeFolders(dataDir).some(hasStoreData)) return openConfiguredChain(config)
  throw toNodeError(new StorageError('STORAGE_ABSENT', `${dataDir} holds no chain`), dataDir)
}

/**
 * Opens the data directory of a configuration for reading only.
 * @throws NodeError when it cannot be used, or holds no chain
 */
export async function openConfiguredStores(
  config: Config,
  options: { checksPages?: boolean } = {},
): Promise<ReadOnlyStores> {
  try {
    return await openStoredChain({
      spec: configuredNetwork(config),
      dataDir: config.dataDir,
      ...options,
    })
  } catch (thrown) {
    throw toNodeError(thrown, config.dataDir)
  }
}
