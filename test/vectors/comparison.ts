/** A value that came out other than recorded. */
export interface Difference {
  readonly name: string
  readonly what: string
  readonly expected: string
  readonly found: string
}

/** Differences of a file that are kept for printing; the count goes on. */
const KEPT_DIFFERENCES = 10

/** What was compared in one vector file: a case is equal when every value of it is. */
export class Comparison {
  readonly differences: Difference[] = []
  #equal = 0
  #different = 0

  get equal(): number {
    return this.#equal
  }

  get different(): number {
    return this.#different
  }

  /** Counts cases that were found equal elsewhere. */
  addEqual(cases: number): void {
    this.#equal += cases
  }

  /** Runs the checks of a case. An exception that escapes them makes the case different. */
  case(name: string, check: (values: CaseValues) => void): void {
    const values = new CaseValues(name)
    try {
      check(values)
    } catch (error) {
      values.differ(
        'no exception',
        'none',
        error instanceof Error ? `${error.name}: ${error.message}` : String(error),
      )
    }
    this.#count(values)
  }

  /** The same for checks that wait. */
  async asyncCase(name: string, check: (values: CaseValues) => Promise<void>): Promise<void> {
    const values = new CaseValues(name)
    try {
      await check(values)
    } catch (error) {
      values.differ(
        'no exception',
        'none',
        error instanceof Error ? `${error.name}: ${error.message}` : String(error),
      )
    }
    this.#count(values)
  }

  /** Runs what reads and compares the whole file; an exception that escapes it is a difference of its own. */
  async fileCase(run: () => Promise<void>): Promise<void> {
    try {
      await run()
    } catch (error) {
      const values = new CaseValues('file')
      values.differ(
        'no exception',
        'none',
        error instanceof Error ? (error.stack ?? error.message) : String(error),
      )
      this.#count(values)
    }
  }

  #count(values: CaseValues): void {
    if (values.differences.length === 0) {
      this.#equal += 1
      return
    }
    this.#different += 1
    for (const difference of values.differences) {
      if (this.differences.length < KEPT_DIFFERENCES) this.differences.push(difference)
    }
  }
}

/** The values of one case. Byte strings and numbers are compared in the form of the vectors. */
export class CaseValues {
  readonly name: string
  readonly differences: Difference[] = []

  constructor(name: string) {
    this.name = name
  }

  /** Compares a value with the recorded one. Null and undefined are the same: nothing. */
  equal(what: string, expected: unknown, found: unknown): void {
    const left = toText(expected)
    const right = toText(found)
    if (left !== right) this.differ(what, left, right)
  }

  /** Compares a computed value; an exception is found as null. */
  equalOrNull(what: string, expected: unknown, compute: () => unknown): void {
    this.equal(what, expected, tryOr(compute, null))
  }

  differ(what: string, expected: string, found: string): void {
    this.differences.push({ name: this.name, what, expected, found })
  }
}

/** Result of a computation, or another value when it throws. */
export function tryOr<T, U>(compute: () => T, otherwise: U): T | U {
  try {
    return compute()
  } catch {
    return otherwise
  }
}

function toText(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (value instanceof Uint8Array) return `0x${Buffer.from(value).toString('hex')}`
  if (typeof value === 'bigint') return value < 0n ? `-0x${(-value).toString(16)}` : `0x${value.toString(16)}`
  if (Array.isArray(value)) return `[${value.map(toText).join(',')}]`
  return String(value)
}
