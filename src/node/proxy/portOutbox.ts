import type { MessagePort } from 'node:worker_threads'

/** Most in one message: whoever gets it begins while the rest is put together. */
const MAX_IN_MESSAGE = 16

/** Runs what it is given after what is being done now. */
export type Deferral = (flush: () => void) => void

/**
 * Sends what it is given over a port, in order: all that comes until the earliest deferral runs what it is given goes
 * in one message, because waking a thread costs more than the rest.
 * @returns sends an item after a deferral of its own, or after `usual`
 */
export function createOutbox<T>(port: MessagePort, usual: Deferral): (item: T, when?: Deferral) => void {
  let waiting: T[] = []
  /** Deferrals that will flush what waits. */
  const due = new Set<Deferral>()
  const flush = () => {
    if (waiting.length === 0) return
    due.clear()
    port.postMessage(waiting)
    waiting = []
  }
  return (item, when = usual) => {
    if (waiting.push(item) >= MAX_IN_MESSAGE) flush()
    else if (!due.has(when)) {
      due.add(when)
      when(flush)
    }
  }
}
