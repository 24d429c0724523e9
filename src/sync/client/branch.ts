import type { BlockHeader } from '../../chain/codec/header.ts'
import { MAX_UNCLES } from '../../chain/consensus.ts'

/** A header that passed every rule that needs no body, held until its block is connected. */
export interface CheckedHeader {
  readonly number: number
  readonly hash: Buffer
  /** Compressed form. */
  readonly encoded: Buffer
  /** Upper and lower bound of what its block adds to the total difficulty. */
  readonly weight: bigint
  readonly work: bigint
}

/**
 * Upper bound of what a block adds to the total difficulty (consensus.md §7): the header has only the number
 * of uncles, and their difficulty is in the body. An uncle can be harder than its nephew by the steps of some
 * generations, a quarter at most.
 */
export function mostWeight(header: BlockHeader): bigint {
  const { difficulty } = header
  const uncles = BigInt(Math.min(header.fields.uncleCount, MAX_UNCLES))
  return difficulty + (difficulty * uncles * 5n) / 4n
}

/** The part of a checked header that is held. */
export function toChecked(header: BlockHeader, encoded: Buffer): CheckedHeader {
  return {
    number: header.number,
    hash: header.hash,
    encoded,
    weight: mostWeight(header),
    work: header.difficulty,
  }
}

/** Accounted size of a checked header beyond its encoding, bytes. */
const OVERHEAD = 256

/** Accounted size of a checked header, bytes. */
export function sizeOf(header: CheckedHeader): number {
  return header.encoded.length + OVERHEAD
}

/**
 * A branch above a connected block, as far as it was checked: its weight, and the headers held. Whoever adds
 * headers bounds their number.
 */
export class Branch {
  /** Total difficulty of its highest connected block. */
  #connected: bigint
  /** Upper and lower bound of what the headers above it add. */
  #above = 0n
  #leastAbove = 0n
  #highest: number
  #held = 0
  #heldBytes = 0

  constructor(base: { readonly number: number; readonly totalDifficulty: bigint }) {
    this.#connected = base.totalDifficulty
    this.#highest = base.number
  }

  /** Upper bound of its total difficulty. */
  get weight(): bigint {
    return this.#connected + this.#above
  }

  /** Lower bound of its total difficulty: what its headers prove, whatever their uncles are. */
  get work(): bigint {
    return this.#connected + this.#leastAbove
  }

  /** Height of the highest checked header. */
  get highest(): number {
    return this.#highest
  }

  /** Headers that wait for their blocks. */
  get held(): number {
    return this.#held
  }

  get heldBytes(): number {
    return this.#heldBytes
  }

  add(headers: readonly CheckedHeader[]): void {
    for (const header of headers) {
      this.#above += header.weight
      this.#leastAbove += header.work
      this.#highest = header.number
      this.#held += 1
      this.#heldBytes += sizeOf(header)
    }
  }

  /**
   * Removes the headers of blocks that were connected.
   * @param totalDifficulty of the last of them
   */
  connected(headers: readonly CheckedHeader[], totalDifficulty: bigint): void {
    this.#connected = totalDifficulty
    for (const header of headers) {
      this.#above -= header.weight
      this.#leastAbove -= header.work
      this.#held -= 1
      this.#heldBytes -= sizeOf(header)
    }
  }
}
