import type { Entry, HeadEntry, History, SeenHead } from './history.ts'
import type { Violation } from './violation.ts'

/** Where in the record of fleet heads an answer may have been given. */
interface Placed {
  readonly entry: Entry
  /** Least place in the record that all earlier answers allow. */
  readonly place: number
}

/**
 * The order of answers and heads. Each answer that names a head is given the first place in the record of fleet heads
 * that has this head and is no earlier than the place of any answer that had ended before the request began. The first
 * one is the best choice, for a place does nothing but to forbid earlier ones to later requests.
 */
export class HeadOrder {
  readonly violations: readonly Violation[]
  readonly #heads: readonly HeadEntry[]
  readonly #floors: Steps
  readonly #ceilings: Steps

  constructor({ entries, heads }: Pick<History, 'entries' | 'heads'>) {
    this.#heads = heads
    const violations: Violation[] = []
    const placesOf = placesByHead(heads)
    const seen = entries.filter(({ head, outcome }) => head !== undefined && outcome.kind === 'answered')
    const placedAll: Placed[] = []
    const byEnd = new Ends()
    let floor: Placed | null = null
    const floors: [time: number, place: number][] = []
    const raiseUntil = (time: number) => {
      for (const placed of byEnd.takeBefore(time)) {
        if (floor !== null && placed.place <= floor.place) continue
        floor = placed
        floors.push([placed.entry.end, placed.place])
      }
    }
    for (const entry of seen) {
      raiseUntil(entry.begin)
      const head = entry.head as SeenHead
      const places = placesOf(head)
      const before = floor as Placed | null
      const place = places.find((one) => one >= (before?.place ?? 0))
      if (place !== undefined) {
        byEnd.add({ entry, place })
        placedAll.push({ entry, place })
      } else violations.push(violationOf(entry, places, before, heads))
    }
    raiseUntil(Number.POSITIVE_INFINITY)
    this.violations = violations
    this.#floors = new Steps(floors)
    this.#ceilings = ceilingsOf(placedAll, placesOf, heads.length - 1)
  }

  /** The place that every request that begins at a time is answered at or after. */
  floor(time: number): number {
    return this.#floors.lastBefore(time) ?? 0
  }

  /** The last place that an answer that was there at a time may have been given at. */
  ceiling(time: number): number {
    return this.#ceilings.firstAfter(time) ?? Math.max(0, this.#heads.length - 1)
  }
}

/** From each time on, the last place: that of the answers to requests that began later, at the latest. */
function ceilingsOf(
  placed: readonly Placed[],
  placesOf: (head: SeenHead) => readonly number[],
  last: number,
): Steps {
  let least = last
  const steps: [number, number][] = []
  for (const { entry } of placed.toReversed()) {
    const latest = placesOf(entry.head as SeenHead).at(-1) ?? last
    if (latest >= least) continue
    least = latest
    steps.push([entry.begin, least])
  }
  return new Steps(steps.reverse())
}

function placesByHead(heads: readonly HeadEntry[]): (head: SeenHead) => readonly number[] {
  const byHash = new Map<string, number[]>()
  const byNumber = new Map<number, number[]>()
  const add = <T>(map: Map<T, number[]>, key: T, place: number) => {
    const places = map.get(key)
    if (places === undefined) map.set(key, [place])
    else places.push(place)
  }
  heads.forEach(({ number, hash }, place) => {
    add(byHash, hash, place)
    add(byNumber, number, place)
  })
  return ({ number, hash }) => (hash === null ? byNumber.get(number) : byHash.get(hash)) ?? []
}

function violationOf(
  entry: Entry,
  places: readonly number[],
  floor: Placed | null,
  heads: readonly HeadEntry[],
): Violation {
  const { number, hash } = entry.head as SeenHead
  const block = `block ${number}${hash === null ? '' : ` ${hash}`}`
  if (places.length === 0 || floor === null)
    return { rule: 'head', message: `${block} never was the head of the fleet`, entries: [entry] }
  const earlier = heads[floor.place]
  return {
    rule: 'head',
    message: `the head went back to ${block} after ${earlier?.number} ${earlier?.hash} had been seen`,
    entries: [floor.entry, entry],
  }
}

/** Answers by the time at which they ended: a binary heap. */
class Ends {
  readonly #heap: Placed[] = []

  add(placed: Placed): void {
    const heap = this.#heap
    let at = heap.push(placed) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (this.#end(parent) <= placed.entry.end) break
      heap[at] = heap[parent] as Placed
      at = parent
    }
    heap[at] = placed
  }

  /** Removes those that ended before a time, the earliest first. */
  *takeBefore(time: number): Generator<Placed> {
    while (this.#heap.length > 0 && this.#end(0) < time) yield this.#take()
  }

  #take(): Placed {
    const heap = this.#heap
    const first = heap[0] as Placed
    const last = heap.pop() as Placed
    if (heap.length === 0) return first
    let at = 0
    for (;;) {
      const left = 2 * at + 1
      if (left >= heap.length) break
      const child = left + 1 < heap.length && this.#end(left + 1) < this.#end(left) ? left + 1 : left
      if (this.#end(child) >= last.entry.end) break
      heap[at] = heap[child] as Placed
      at = child
    }
    heap[at] = last
    return first
  }

  #end(at: number): number {
    return this.#heap[at]?.entry.end ?? Number.POSITIVE_INFINITY
  }
}

/** Values from times on, both growing. */
class Steps {
  readonly #steps: readonly (readonly [time: number, value: number])[]

  constructor(steps: readonly (readonly [number, number])[]) {
    this.#steps = steps
  }

  /** The last value from before a time. */
  lastBefore(time: number): number | undefined {
    return this.#steps[this.#countBefore(time) - 1]?.[1]
  }

  /** The first value from after a time. */
  firstAfter(time: number): number | undefined {
    let at = this.#countBefore(time)
    while (this.#steps[at]?.[0] === time) at += 1
    return this.#steps[at]?.[1]
  }

  #countBefore(time: number): number {
    let [low, high] = [0, this.#steps.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#steps[middle]?.[0] ?? 0) < time) low = middle + 1
      else high = middle
    }
    return low
  }
}
