/** Unit tests that run in a process of their own though their text does not show why. */
export const OWN_PROCESS: ReadonlyMap<string, string> = new Map([])

/** Files that wait more than they compute: of timers, of disks, of other processes that do. */
export const WAITING: ReadonlySet<string> = new Set([])

/** Files that take longest, in the order in which they begin: what begins last is not to take long. */
export const SLOWEST: readonly string[] = ['test/vectors/recorded.test.ts', 'test/replay/replay.test.ts']
