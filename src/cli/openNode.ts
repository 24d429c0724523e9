import { networkByName } from '../config/networks/byName.ts'
import type { Config } from '../config/schema.ts'
import { type OpenChain, openChain } from '../execution/openChain.ts'
import type { StoreOptions } from '../native/types.ts'
import { StorageError } from '../storage/errors.ts'
import { CommandError } from './errors.ts'

const MEBIBYTE = 1024 * 1024

/** Share of the state cache that code gets: programs are few and large, nodes many and small. */
const CODE_SHARE = 0.25

/** Sizes of the state store's caches under a configuration. */
export function stateStoreOptionsFromConfig(config: Config): StoreOptions {
  const bytes = config.stateCache * MEBIBYTE
  return {
    nodeCacheBytes: Math.floor(bytes * (1 - CODE_SHARE)),
    codeCacheBytes: Math.floor(bytes * CODE_SHARE),
  }
}

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
