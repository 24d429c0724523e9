import type { Config } from '../config/schema.ts'
import type { StoreOptions } from '../native/types.ts'

const MEBIBYTE = 1024 * 1024

/** Share of the state cache that code gets: programs are few and large, nodes many and small. */
const CODE_SHARE = 0.25

/** Bytes of texts that are kept under a configuration. */
export function textBytesFromConfig(config: Pick<Config, 'textCache'>): number {
  return config.textCache * MEBIBYTE
}

/** Sizes of the state store's caches under a configuration. */
export function stateStoreOptionsFromConfig(config: Pick<Config, 'stateCache' | 'storeLimit'>): StoreOptions {
  const bytes = config.stateCache * MEBIBYTE
  return {
    nodeCacheBytes: Math.floor(bytes * (1 - CODE_SHARE)),
    codeCacheBytes: Math.floor(bytes * CODE_SHARE),
    mapBytes: config.storeLimit * MEBIBYTE,
  }
}
