import type { Entry, History, KeyEntry } from './history.ts'
import type { Violation } from './violation.ts'

/**
 * Cost units of a key that were answered within any window are at most its rate times the window, its burst and the
 * stated overshoot; those of a day at most its quota and the overshoot; after a revocation none are answered.
 */
export function checkKeys({ entries, keys }: History): Violation[] {
  return keys.flatMap((key) => {
    const own = entries.filter((entry) => entry.key === key.key && entry.outcome.kind === 'answered')
    return [...checkRate(key, own), ...checkQuota(key, own), ...checkRevoked(key, own, entries)]
  })
}

function checkRate({ key, rate, burst, overshoot }: KeyEntry, entries: readonly Entry[]): Violation[] {
  if (rate === 0) return []
  const byEnd = entries.toSorted((a, b) => a.end - b.end)
  const sums = new WindowSums(byEnd.map(({ end }) => (-rate * end) / 1000))
  const places = new Map(byEnd.map((entry, place) => [entry, place]))
  let worst = { over: 0, entry: null as Entry | null, end: 0 }
  // Windows begin with a request, the last one first; they have all that began later.
  for (const entry of entries.toReversed()) {
    const place = places.get(entry) ?? 0
    sums.open(place)
    sums.add(place, entry.units ?? 0)
    const { most, at } = sums.largest()
    const over = most + (rate * entry.begin) / 1000 - burst - overshoot
    if (over > worst.over) worst = { over, entry, end: byEnd[at]?.end ?? entry.end }
  }
  const { over, entry, end } = worst
  if (entry === null) return []
  const units = entries
    .filter((one) => one.begin >= entry.begin && one.end <= end)
    .reduce((sum, one) => sum + (one.units ?? 0), 0)
  const message =
    `key ${key} was answered ${units} units within ${(end - entry.begin).toFixed(0)} ms: ` +
    `${over.toFixed(1)} more than ${rate} a second, ${burst} at once and an overshoot of ${overshoot}`
  return [{ rule: 'rate', message, entries: [entry] }]
}

function checkQuota({ key, quota, quotaOvershoot }: KeyEntry, entries: readonly Entry[]): Violation[] {
  if (quota === 0) return []
  const units = entries.reduce((sum, entry) => sum + (entry.units ?? 0), 0)
  if (units <= quota + quotaOvershoot) return []
  const message = `key ${key} was answered ${units} units on a day of ${quota} with an overshoot of ${quotaOvershoot}`
  return [{ rule: 'quota', message, entries: entries.slice(-1) }]
}

function checkRevoked(
  { key, revokedWithin }: KeyEntry,
  own: readonly Entry[],
  entries: readonly Entry[],
): Violation[] {
  const revoked = entries.find(
    ({ operation, outcome }) =>
      operation.kind === 'revoke' && operation.key === key && outcome.kind === 'answered',
  )
  if (revoked === undefined) return []
  const late = own.find(({ begin }) => begin > revoked.end + revokedWithin)
  if (late === undefined) return []
  const after = (late.begin - revoked.end).toFixed(0)
  const message = `key ${key} was answered ${after} ms after it had been revoked`
  return [{ rule: 'key', message, entries: [revoked, late] }]
}

/** More than any sum: what keeps a place from being the largest. */
const CLOSED = 1e9

/** Sums by ends of windows: adds to all from a place on, and tells the largest of the open ones. A segment tree. */
class WindowSums {
  readonly #size: number
  readonly #most: Float64Array
  readonly #added: Float64Array

  /** @param values what each place begins with, once it is opened */
  constructor(values: readonly number[]) {
    this.#size = 2 ** Math.ceil(Math.log2(Math.max(1, values.length)))
    this.#most = new Float64Array(2 * this.#size).fill(Number.NEGATIVE_INFINITY)
    this.#added = new Float64Array(2 * this.#size)
    this.#most.set(
      values.map((value) => value - CLOSED),
      this.#size,
    )
    for (let node = this.#size - 1; node > 0; node -= 1) this.#update(node)
  }

  open(place: number): void {
    this.add(place, CLOSED)
    this.add(place + 1, -CLOSED)
  }

  add(from: number, amount: number): void {
    this.#addTo(1, 0, this.#size, from, amount)
  }

  largest(): { readonly most: number; readonly at: number } {
    let node = 1
    while (node < this.#size) {
      const left = 2 * node
      node = (this.#most[left] ?? 0) >= (this.#most[left + 1] ?? 0) ? left : left + 1
    }
    return { most: this.#most[1] ?? 0, at: node - this.#size }
  }

  #addTo(node: number, low: number, high: number, from: number, amount: number): void {
    if (from >= high) return
    if (from <= low) {
      this.#most[node] = (this.#most[node] ?? 0) + amount
      this.#added[node] = (this.#added[node] ?? 0) + amount
      return
    }
    const middle = (low + high) >> 1
    this.#addTo(2 * node, low, middle, from, amount)
    this.#addTo(2 * node + 1, middle, high, from, amount)
    this.#update(node)
  }

  #update(node: number): void {
    const [left, right] = [this.#most[2 * node] ?? 0, this.#most[2 * node + 1] ?? 0]
    this.#most[node] = Math.max(left, right) + (this.#added[node] ?? 0)
  }
}
