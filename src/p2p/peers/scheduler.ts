import { createSteadyClock } from '../../util/steadyClock.ts'

/** Clock and timers of peers; tests supply their own. */
export interface Scheduler {
  /** Monotonic clock, milliseconds. */
  now(): number
  /** Calls a function once after a delay in milliseconds; returns a function that cancels it. */
  after(milliseconds: number, call: () => void): () => void
}

/** Clock and timers of the machine, which do not keep the process alive. */
export function createScheduler(): Scheduler {
  return {
    now: createSteadyClock(),
    after(milliseconds, call) {
      const timer = setTimeout(call, milliseconds)
      timer.unref()
      return () => clearTimeout(timer)
    },
  }
}
