import type { Checkpoint } from '../../config/checkpoints.ts'

/** The blocks that the chain of a peer must have. */
export class Checkpoints {
  readonly #byNumber: ReadonlyMap<number, Buffer>
  readonly #ascending: readonly Checkpoint[]

  constructor(checkpoints: readonly Checkpoint[]) {
    this.#byNumber = new Map(checkpoints.map(({ number, hash }) => [number, hash]))
    this.#ascending = checkpoints.toSorted((a, b) => a.number - b.number)
  }

  /** Whether a chain with such a block is another than the one of the checkpoints. */
  contradicts(number: number, hash: Buffer): boolean {
    const expected = this.#byNumber.get(number)
    return expected !== undefined && !expected.equals(hash)
  }

  /** The highest checkpoint above a height and not above another, if there is one. */
  highestWithin(above: number, upTo: number): Checkpoint | null {
    return this.#ascending.findLast(({ number }) => number > above && number <= upTo) ?? null
  }
}
