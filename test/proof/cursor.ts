import { ProofError } from './errors.ts'

/** Reads bytes from front to back and never past the end. */
export class Cursor {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** How many bytes are left. */
  get left(): number {
    return this.#bytes.length - this.#at
  }

  /** @throws ProofError `Malformed` when fewer are left */
  take(count: number): Uint8Array {
    if (count > this.left) throw new ProofError('Malformed', `${count} bytes expected, ${this.left} left`)
    this.#at += count
    return this.#bytes.subarray(this.#at - count, this.#at)
  }

  byte(): number {
    return this.take(1)[0] ?? 0
  }

  /** Unsigned, most significant byte first. */
  bigEndian(count: number): number {
    return this.take(count).reduce((value, byte) => value * 256 + byte, 0)
  }

  /** Bitcoin's variable integer in its shortest form (consensus.md §0.4). */
  varInt(): number {
    const first = this.byte()
    if (first < 0xfd) return first
    const width = 2 ** (first - 0xfc)
    const value = this.take(width).reduceRight((sum, byte) => sum * 256 + byte, 0)
    const least = first === 0xfd ? 0xfd : 256 ** (width / 2)
    if (value < least || !Number.isSafeInteger(value)) {
      throw new ProofError('Malformed', `variable integer ${value} in ${width} bytes`)
    }
    return value
  }
}
