import { setFlagsFromString } from 'node:v8'
import type { Config } from '../config/schema.ts'

/**
 * Bytes of bytecode that a function runs before V8 optimizes it; its own default is 132 KiB in the line that is named
 * here, and others count otherwise.
 */
const BYTES_BEFORE_OPTIMIZATION = 600_000
const V8_LINE = '11.'

/**
 * Lets V8 optimize later where somebody develops: such a node lives for some hundred blocks, and a quarter of the
 * processor time of its first thousand was spent on optimizing what then hardly ran. Where a service runs for days the
 * default stays. To be called before threads start.
 */
export function optimizeLater({ profile }: Pick<Config, 'profile'>): void {
  if (profile !== 'dev' || !process.versions.v8.startsWith(V8_LINE)) return
  setFlagsFromString(`--interrupt-budget=${BYTES_BEFORE_OPTIMIZATION}`)
}
