import type { MessagePort } from 'node:worker_threads'

/** Most in one message: whoever gets it begins while the rest is put together. */
const MAX_IN_MESSAGE = 16

/**
 * Sends what it is given over a port, in order: all that comes until `when` runs what it is given goes in one message,
 * because waking a thread costs more than the rest.
 */
export function createOutbox<T>(port: MessagePort, when: (flush: () => void) => void): (item: T) => void {
  let waiting: T[] = []
  const flush = () => {
    if (waiting.length === 0) return
    port.postMessage(waiting)
    waiting = []
  }
  return (item) => {
    const count = waiting.push(item)
    if (count >= MAX_IN_MESSAGE) flush()
    else if (count === 1) when(flush)
  }
}
