import { setMaxListeners } from 'node:events'

/** An abort controller whose signal may have as many listeners as there are open requests. */
export function createStop(): AbortController {
  const stop = new AbortController()
  setMaxListeners(0, stop.signal)
  return stop
}

/** A wait that can be interrupted. */
export class Wake {
  #resolve: (() => void) | null = null
  #raised = false

  /** Ends the current wait, or else the next one. */
  raise(): void {
    this.#raised = true
    this.#resolve?.()
  }

  /** Waits until it is raised, at most for a time in milliseconds. */
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
