import { networkByName } from '../config/networks/byName.ts'
import type { Config } from '../config/schema.ts'
import { type OpenChain, openChain } from '../execution/openChain.ts'
import { stateStoreOptionsFromConfig } from '../node/storeOptions.ts'
import { StorageError } from '../storage/errors.ts'
import { CommandError } from './errors.ts'

/**
 * Opens the data directory of a configuration for writing.
 * @throws CommandError with a message for the user when it cannot be used
 */
export function openConfiguredChain(config: Config): OpenChain {
  try {
    return openChain({
      spec: networkByName(config.network),
      dataDir: config.dataDir,
      storeOptions: stateStoreOptionsFromConfig(config),
    })
  } catch (error) {
    if (error instanceof StorageError)
      throw new CommandError('Failed', error.message, undefined, { cause: error })
    throw error
  }
}
