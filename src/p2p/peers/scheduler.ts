import { createSteadyClock } from '../../util/steadyClock.ts'

/** Time as peers use it; tests bring their own. */
export interface Scheduler {
  /** Milliseconds that nobody sets back or forward. */
  now(): number
  /** Calls once, after so many milliseconds; returns what prevents it. */
  after(milliseconds: number, call: () => void): () => void
}

/** Time of the machine; no timer of it keeps the process alive. */
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
