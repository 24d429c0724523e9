import { createRandom } from '../random.ts'

/** A process of the simulation: what is to happen in it waits while it is stopped, and never happens once it is dead. */
export class SimProcess {
  stoppedUntil = 0
  isDead = false
}

const MOST_NOTES = 200

interface SimEvent {
  readonly at: number
  readonly order: number
  readonly process: SimProcess | null
  readonly run: () => void
}

/** Time, chance and what happens when: everything follows from the seed. */
export class SimWorld {
  now = 0
  steps = 0
  /** What happened last, for whoever has to find out why something went wrong. */
  readonly notes: string[] = []
  readonly random: () => number
  readonly #heap: SimEvent[] = []
  #order = 0

  constructor(seed: number) {
    this.random = createRandom(seed)
  }

  note(text: string): void {
    this.notes.push(`${this.now.toFixed(1)} ${text}`)
    if (this.notes.length > MOST_NOTES) this.notes.shift()
  }

  /** Has something happen after a delay in milliseconds. */
  after(delay: number, process: SimProcess | null, run: () => void): void {
    this.#order += 1
    this.#push({ at: this.now + Math.max(0, delay), order: this.#order, process, run })
  }

  /** Resolves after a delay, in a process. */
  sleep(delay: number, process: SimProcess | null): Promise<void> {
    return new Promise((resolve) => this.after(delay, process, resolve))
  }

  /** Lets time pass up to a moment, one event after the other; promises go on between. */
  async run(until: number): Promise<void> {
    for (let next = this.#heap[0]; next !== undefined && next.at <= until; next = this.#heap[0]) {
      this.#pop()
      this.now = Math.max(this.now, next.at)
      const { process } = next
      if (process?.isDead) continue
      if (process !== null && process.stoppedUntil > this.now) {
        this.#push({ ...next, at: process.stoppedUntil })
        continue
      }
      this.steps += 1
      next.run()
      await new Promise((resolve) => setImmediate(resolve))
    }
    this.now = until
  }

  /** Between two numbers. */
  between(low: number, high: number): number {
    return low + this.random() * (high - low)
  }

  chance(share: number): boolean {
    return this.random() < share
  }

  pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.random() * items.length)]
    if (item === undefined) throw new Error('nothing to pick from')
    return item
  }

  #push(event: SimEvent): void {
    const heap = this.#heap
    let at = heap.length
    heap.push(event)
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = heap[parent] as SimEvent
      if (!isEarlier(event, above)) break
      heap[at] = above
      at = parent
    }
    heap[at] = event
  }

  #pop(): void {
    const heap = this.#heap
    const last = heap.pop() as SimEvent
    if (heap.length === 0) return
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      const right = heap[child + 1]
      if (right !== undefined && isEarlier(right, heap[child] as SimEvent)) child += 1
      const below = heap[child] as SimEvent
      if (!isEarlier(below, last)) break
      heap[at] = below
      at = child
    }
    heap[at] = last
  }
}

function isEarlier(left: SimEvent, right: SimEvent): boolean {
  return left.at < right.at || (left.at === right.at && left.order < right.order)
}
