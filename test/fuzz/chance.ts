import { createRandom } from '../support/random.ts'

/** Random choices that depend on the seed alone. */
export class Chance {
  readonly #next: () => number

  constructor(seed: number) {
    this.#next = createRandom(seed)
  }

  /** Whether something of this probability happens. */
  happens(probability: number): boolean {
    return this.#next() < probability
  }

  /** From 0 to below the limit. */
  below(limit: number): number {
    return Math.floor(this.#next() * limit)
  }

  /** @throws RangeError when there is nothing to choose from */
  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)]
    if (item === undefined) throw new RangeError('nothing to choose from')
    return item
  }

  /** So many hex digits. */
  hex(digits: number): string {
    return Array.from({ length: digits }, () => this.below(16).toString(16)).join('')
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)))
  }

  /** Another source of choices, which this one determines. */
  fork(): Chance {
    return new Chance(this.below(2 ** 31))
  }
}
