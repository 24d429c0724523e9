import type * as Addon from '../../native/addon/index.d.ts'
import { CodedError } from '../util/codedError.ts'
import { describePlatform, GLIBC_FLOOR, type HostPlatform, platformPackages } from './platform.ts'

/** `Missing`: there is no native core; `Unusable`: the one that is there does not load. */
export type NativeCoreErrorCode = 'Missing' | 'Unusable'

/** The native core cannot be loaded, so that nothing of the node works. */
export class NativeCoreError extends CodedError<NativeCoreErrorCode> {
  override readonly name = 'NativeCoreError'
}

/** The part of `require` that loading takes: {@link NodeJS.Require} is one. */
export interface ModuleLoader {
  (path: string): unknown
  resolve(name: string): string
}

/** Path of the core that a source checkout builds, seen from `src/native` and `dist/native`, which lie equally deep. */
const SOURCE_BUILD = '../../native/addon/rhizome.node'

const REMEDY =
  `a built one exists for linux x64 with glibc ${GLIBC_FLOOR} or newer (package rhizome-linux-x64-gnu); ` +
  'on other systems build it in a source checkout with npm ci, Rust 1.95 and a C compiler'

/**
 * Loads the native core: that of the source checkout, else the one of the installed platform package.
 * @param host says which system this is; it is asked for the message only
 * @throws NativeCoreError
 */
export function loadAddon(load: ModuleLoader, host: () => HostPlatform): typeof Addon {
  const packages = platformPackages(process.platform, process.arch).map((platform) => `rhizome-${platform}`)
  for (const name of [SOURCE_BUILD, ...packages]) {
    const path = resolveOrNull(load, name)
    if (path === null) continue
    try {
      return load(path) as typeof Addon
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : String(thrown)
      const message = `the native core does not load on ${describePlatform(host())} (${why}): ${REMEDY}`
      throw new NativeCoreError('Unusable', message, { cause: thrown })
    }
  }
  throw new NativeCoreError('Missing', `there is no native core for ${describePlatform(host())}: ${REMEDY}`)
}

function resolveOrNull(load: ModuleLoader, name: string): string | null {
  try {
    return load.resolve(name)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return null
    throw thrown
  }
}
