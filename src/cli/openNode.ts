import { networkByName } from '../config/networks/byName.ts'
import type { Config } from '../config/schema.ts'
import { type OpenChain, openChain } from '../execution/openChain.ts'
import { toNodeError } from '../node/errors.ts'
import { stateStoreOptionsFromConfig } from '../node/storeOptions.ts'

/**
 * Opens the data directory of a configuration for writing.
 * @throws NodeError when it cannot be used
 */
export function openConfiguredChain(config: Config, options: { checksPages?: boolean } = {}): OpenChain {
  try {
    return openChain({
      spec: networkByName(config.network),
      dataDir: config.dataDir,
      storeOptions: stateStoreOptionsFromConfig(config),
      ...options,
    })
  } catch (thrown) {
    throw toNodeError(thrown, config.dataDir)
  }
}
