import { keptStates } from '../config/keptStates.ts'
import { configuredNetwork } from '../config/networks/configured.ts'
import type { Config } from '../config/schema.ts'
import { type OpenChain, openChain } from '../execution/openChain.ts'
import { openStoredChain, type ReadOnlyStores } from '../execution/openStoredChain.ts'
import { toNodeError } from '../node/errors.ts'
import { stateStoreOptionsFromConfig } from '../node/options/storeOptions.ts'

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
    })
  } catch (thrown) {
    throw toNodeError(thrown, config.dataDir)
  }
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
