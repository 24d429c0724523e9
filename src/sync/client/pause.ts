import { setMaxListeners } from 'node:events'

/** A controller whose signal as many may wait for as questions are open. */
export function createStop(): AbortController {
  const stop = new AbortController()
  setMaxListeners(0, stop.signal)
  return stop
}

/** A promise that whoever waits can be woken from. */
export class Wake {
  #resolve: (() => void) | null = null
  #raised = false

  /** Ends the wait that is going on, else the next one. */
  raise(): void {
    this.#raised = true
    this.#resolve?.()
  }

  /** Waits until it is raised, or for a time at most, milliseconds. */
  wait(most: number): Promise<void> {
    if (this.#raised) {
      this.#raised = false
      return Promise.resolve()
    }
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        this.#resolve = null
        this.#raised = false
        resolve()
      }
      const timer = setTimeout(end, most)
      timer.unref()
      this.#resolve = end
    })
  }
}
