import type { CallRequest } from './localExecution.ts'

/** Programs that are remembered. */
const MOST = 1024
/** A program that took long is given another chance after this many calls. */
const PASSED_OVER = 256
const SELECTOR_BYTES = 4

/**
 * Which programs were too long for a thread that must not be held up, by contract and function: most calls come
 * again with other arguments, and an attempt that fails is work done twice.
 */
export class LongCalls {
  /** Calls that are still passed over. */
  readonly #left = new Map<string, number>()

  /** Whether the call is not worth an attempt. */
  has(request: CallRequest): boolean {
    if (this.#left.size === 0) return false
    const key = keyOf(request)
    const left = this.#left.get(key)
    if (left === undefined) return false
    if (left > 1) this.#left.set(key, left - 1)
    else this.#left.delete(key)
    return true
  }

  /** Remembers that an attempt was too long. */
  add(request: CallRequest): void {
    if (this.#left.size >= MOST) this.#left.clear()
    this.#left.set(keyOf(request), PASSED_OVER)
  }
}

function keyOf({ to, data }: CallRequest): string {
  const selector = data.toString('latin1', 0, SELECTOR_BYTES)
  return to === null ? selector : to.toString('latin1') + selector
}
