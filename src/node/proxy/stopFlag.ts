import type { CommandSignal } from '../../rpc/commandSignal.ts'

/** Memory of two threads by which one has the other stop what it does for it: not zero when it is to stop. */
type StopFlag = Int32Array

/** A flag that is raised by a signal; the thread that gets it reads it between two steps. */
export function raisedBy(signal: AbortSignal): StopFlag {
  const flag = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const raise = () => Atomics.store(flag, 0, 1)
  if (signal.aborted) raise()
  else signal.addEventListener('abort', raise, { once: true })
  return flag
}

/** The signal of another thread, by its flag. */
export function signalOf(flag: StopFlag): CommandSignal {
  return {
    get aborted() {
      return Atomics.load(flag, 0) !== 0
    },
  }
}
