import { createRequire } from 'node:module'
import type * as Addon from '../../native/addon/index.d.ts'

/** The loaded native module. `src/native` and `dist/native` lie equally deep, so one path serves both. */
export const addon: typeof Addon = createRequire(import.meta.url)('../../native/addon/rhizome.node')
