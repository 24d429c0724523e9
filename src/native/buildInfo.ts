import type { BuildInfo } from '../../native/addon/index.d.ts'
import { addon } from './addon.ts'

/** The build of the native core that is loaded. */
export type NativeBuild = BuildInfo

/** Version, target, profile and compiler of the loaded native core. */
export function nativeBuild(): NativeBuild {
  return addon.buildInfo()
}
