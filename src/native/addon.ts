import { createRequire } from 'node:module'
import type * as Addon from '../../native/addon/index.d.ts'
import { loadAddon } from './loadAddon.ts'
import { hostPlatform } from './platform.ts'

/** The loaded native module. */
export const addon: typeof Addon = loadAddon(createRequire(import.meta.url), hostPlatform)
