import type { UnknownMethodReport } from '../../rpc/reports/executionReports.ts'

/** Names that are told apart: whoever tries names at random fills neither the memory nor the terminal. */
const MAX_METHODS = 100
/** Characters of a name that are kept. */
const MAX_NAME_CHARACTERS = 80

/** Counts requests of methods that there are not, by name: clients repeat them, and one line says it. */
export class UnknownMethods {
  readonly #times = new Map<string | null, number>()

  /** Counts a request. @returns what is to be reported: the first one, the tenth, the hundredth and so on; else null */
  count(method: string, reason: string): UnknownMethodReport | null {
    const shown = method.length > MAX_NAME_CHARACTERS ? `${method.slice(0, MAX_NAME_CHARACTERS)}…` : method
    const isTold = this.#times.has(shown) || this.#times.size < MAX_METHODS
    const name = isTold ? shown : null
    const times = (this.#times.get(name) ?? 0) + 1
    this.#times.set(name, times)
    if (!isPowerOfTen(times)) return null
    return { kind: 'unknownMethod', method: name, times, reason: isTold ? reason : 'method not found' }
  }
}

function isPowerOfTen(count: number): boolean {
  return 10 ** Math.round(Math.log10(count)) === count
}
