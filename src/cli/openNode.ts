import { networkByName } from '../config/networks/byName.ts'
import type { Config } from '../config/schema.ts'
import { type OpenChain, openChain } from '../execution/openChain.ts'
import { NodeError, toNodeError } from '../node/errors.ts'
import { stateStoreOptionsFromConfig } from '../node/storeOptions.ts'
import { toCommandError } from './errors.ts'

/**
 * Opens the data directory of a configuration for writing.
 * @throws CommandError with a message for the user when it cannot be used
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
    const error = toNodeError(thrown, config.dataDir)
    if (error instanceof NodeError) throw toCommandError(error)
    throw error
  }
}
