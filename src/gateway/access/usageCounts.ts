import type { DayUsage, MethodUsage } from '../../storage/access/usageRecord.ts'

/** Columns of a method: requests, their cost, bytes of their answers, errors among them, and refused ones. */
const COLUMNS = 5
const COST = 1
const BYTES = 2
const ERRORS = 3
const REFUSED = 4

/** Counts of one key by method, since they were taken last. Every count is an addition to an array. */
export class UsageCounts {
  readonly id: string
  readonly #cells: Float64Array
  readonly #changed: Set<UsageCounts>
  #isChanged = false

  /**
   * @param methods number of method indices
   * @param changed receives the counts once they are not empty
   */
  constructor(id: string, methods: number, changed: Set<UsageCounts>) {
    this.id = id
    this.#cells = new Float64Array(methods * COLUMNS)
    this.#changed = changed
  }

  /** Requests were let through, with the cost of all. */
  admitted(method: number, cost: number, requests: number = 1): void {
    const row = method * COLUMNS
    const cells = this.#cells
    cells[row] = (cells[row] ?? 0) + requests
    cells[row + COST] = (cells[row + COST] ?? 0) + cost
    if (!this.#isChanged) this.#change()
  }

  /** A request was over a limit. */
  refused(method: number): void {
    const cell = method * COLUMNS + REFUSED
    this.#cells[cell] = (this.#cells[cell] ?? 0) + 1
    if (!this.#isChanged) this.#change()
  }

  /** A request was answered. */
  answered(method: number, bytes: number, isError: boolean): void {
    const row = method * COLUMNS
    const cells = this.#cells
    cells[row + BYTES] = (cells[row + BYTES] ?? 0) + bytes
    if (isError) cells[row + ERRORS] = (cells[row + ERRORS] ?? 0) + 1
    if (!this.#isChanged) this.#change()
  }

  /** The counts, which begin at zero again. @param names of the methods by index */
  take(day: number, names: readonly string[]): DayUsage {
    const methods = new Map<string, MethodUsage>()
    const cells = this.#cells
    names.forEach((name, method) => {
      const row = method * COLUMNS
      const [count = 0, cost = 0, bytes = 0, errors = 0, refused = 0] = cells.subarray(row, row + COLUMNS)
      if (count + bytes + errors + refused > 0) methods.set(name, { count, cost, bytes, errors, refused })
    })
    cells.fill(0)
    this.#isChanged = false
    return { id: this.id, day, methods }
  }

  #change(): void {
    this.#isChanged = true
    this.#changed.add(this)
  }
}
