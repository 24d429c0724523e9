import { setFlagsFromString } from 'node:v8'
import type { Config } from '../config/schema.ts'

/**
 * Bytes of bytecode that a function runs before V8 optimizes it; its own default is 132 KiB in the line that is named
 * here, and others count otherwise.
 */
const BYTES_BEFORE_OPTIMIZATION = 600_000
const V8_LINE = '11.'

/** MiB of one of the two halves in which a thread makes objects; V8 takes 16, which a thread fills before it clears them. */
const SEMI_SPACE_MB = 4

/**
 * A thread that answers requests makes hundreds of bytes for each and keeps none of them: clearing that takes a third of
 * a millisecond by itself, but V8 wakes helpers for it and waits until all of them had a processor. On two processors
 * that a client keeps busy, too, the wait was most of the pause, some times a second, and so the slowest requests.
 */
const OWN_COLLECTOR = ['--no-parallel-scavenge', '--no-concurrent-array-buffer-sweeping']

/**
 * Has every thread clear its young objects by itself. Has V8 optimize later and threads begin with less memory where
 * somebody develops: such a node lives for some hundred blocks beside other programs, and a quarter of the processor time
 * of its first thousand was spent on optimizing what then hardly ran. Where a service runs for days those defaults stay.
 * To be called before threads start.
 */
export function fitEngine({ profile }: Pick<Config, 'profile'>): void {
  for (const flag of OWN_COLLECTOR) setFlagsFromString(flag)
  if (profile !== 'dev') return
  setFlagsFromString(`--max-semi-space-size=${SEMI_SPACE_MB}`)
  if (process.versions.v8.startsWith(V8_LINE)) {
    setFlagsFromString(`--interrupt-budget=${BYTES_BEFORE_OPTIMIZATION}`)
  }
}
