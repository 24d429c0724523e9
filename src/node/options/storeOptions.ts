import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Config } from '../../config/schema.ts'
import type { StoreOptions } from '../../native/types.ts'

const MEBIBYTE = 1024 * 1024
const GIBIBYTE = 1024 * MEBIBYTE

/** Share of the state cache that code gets: programs are few and large, nodes many and small. */
const CODE_SHARE = 0.25

/** Bytes of texts that are kept under a configuration. */
export function textBytesFromConfig(config: Pick<Config, 'encodedObjectCache'>): number {
  return config.encodedObjectCache * MEBIBYTE
}

/** Largest size of the file of each store, bytes; null where only the disk limits them. */
export function storeLimitFromConfig({ storeLimit }: Pick<Config, 'storeLimit'>): number | null {
  return storeLimit === 0 ? null : storeLimit * MEBIBYTE
}

/** Sizes of the state store's caches under a configuration. */
export function stateStoreOptionsFromConfig(
  config: Pick<Config, 'stateCache' | 'storeLimit' | 'dataDir'>,
): StoreOptions {
  const bytes = config.stateCache * MEBIBYTE
  return {
    nodeCacheBytes: Math.floor(bytes * (1 - CODE_SHARE)),
    codeCacheBytes: Math.floor(bytes * CODE_SHARE),
    mapBytes: storeLimitFromConfig(config) ?? diskBytes(config.dataDir),
  }
}

/** Size of the disk that a folder is on, or will be: no file on it can be larger. Whole GiB. */
function diskBytes(folder: string): number {
  try {
    const { blocks, bsize } = statfsSync(folder)
    return Math.ceil((blocks * bsize) / GIBIBYTE) * GIBIBYTE
  } catch (error) {
    const parent = dirname(folder)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === folder) throw error
    return diskBytes(parent)
  }
}
