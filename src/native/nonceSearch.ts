import { addon } from './addon.ts'
import { native } from './errors.ts'

/** A search for the nonce of a work on several threads of the native core. */
export class NonceSearch {
  readonly #search: InstanceType<typeof addon.NonceSearch>

  /**
   * @param target largest hash that is a solution, big-endian
   * @param time of the Bitcoin header, seconds
   */
  constructor(hashForMergedMining: Uint8Array, target: Uint8Array, time: number) {
    this.#search = native(() => new addon.NonceSearch(hashForMergedMining, target, time))
  }

  /** Block hashes tried so far. */
  get hashes(): bigint {
    return this.#search.hashes
  }

  /** The eight bytes of the nonce; null when the search was stopped. */
  run(threads: number): Promise<Buffer | null> {
    return this.#search.run(threads)
  }

  /** Ends the search within some milliseconds. */
  stop(): void {
    this.#search.stop()
  }
}
