import type { BlockHeader } from '../../chain/codec/header.ts'
import { MAXIMUM_UNCLES } from '../../config/consensus.ts'

/** A header that kept every rule that needs no body, as it is held until its block is connected. */
export interface CheckedHeader {
  readonly number: number
  readonly hash: Buffer
  /** Compressed form. */
  readonly encoded: Buffer
  /** Most that its block can add to the total difficulty. */
  readonly weight: bigint
}

/**
 * Most that a block of such a header adds to the total difficulty (consensus.md §7): its uncles are in the body, only
 * their count is here. An uncle can be harder than its nephew by the steps of some generations, a quarter at most.
 */
export function mostWeight(header: BlockHeader): bigint {
  const { difficulty } = header
  const uncles = BigInt(Math.min(header.fields.uncleCount, MAXIMUM_UNCLES))
  return difficulty + (difficulty * uncles * 5n) / 4n
}

/** What is to be held of a header that was checked. */
export function toChecked(header: BlockHeader, encoded: Buffer): CheckedHeader {
  return { number: header.number, hash: header.hash, encoded, weight: mostWeight(header) }
}

/** Bytes that a checked header is counted with beside its encoding. */
const OVERHEAD = 256

/** Bytes that a checked header is counted with. */
export function sizeOf(header: CheckedHeader): number {
  return header.encoded.length + OVERHEAD
}

/**
 * A branch above a connected block as far as it was checked: how much it weighs, and how much of it is held.
 * What is held is bounded by the limits of whoever adds to it.
 */
export class Branch {
  /** Total difficulty of the highest block of it that is connected. */
  #connected: bigint
  /** Most that the headers above it can add. */
  #above = 0n
  #highest: number
  #held = 0
  #heldBytes = 0

  constructor(base: { readonly number: number; readonly totalDifficulty: bigint }) {
    this.#connected = base.totalDifficulty
    this.#highest = base.number
  }

  /** Most that its total difficulty can be. */
  get weight(): bigint {
    return this.#connected + this.#above
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
      this.#highest = header.number
      this.#held += 1
      this.#heldBytes += sizeOf(header)
    }
  }

  /**
   * Blocks were connected: their headers are no longer held.
   * @param totalDifficulty of the last of them
   */
  connected(headers: readonly CheckedHeader[], totalDifficulty: bigint): void {
    this.#connected = totalDifficulty
    for (const header of headers) {
      this.#above -= header.weight
      this.#held -= 1
      this.#heldBytes -= sizeOf(header)
    }
  }
}
