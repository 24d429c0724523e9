import { addon } from './addon.ts'

/**
 * Milliseconds since the machine was started, with fractions, by a clock that goes on while the machine sleeps
 * (`CLOCK_BOOTTIME`). It costs about a hundred nanoseconds. Node has nothing of the kind: `process.hrtime` stands still
 * while the machine sleeps, and `os.uptime` reads `/proc/uptime`, in steps of 10 ms, in 11 µs, and in some containers
 * since their own start.
 */
export const bootClock: () => number = () => addon.bootClock()
