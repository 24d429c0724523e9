import { BLOCK_KEY_LENGTH, blockKey } from '../../chain/tables/blockKey.ts'
import type { StoredLogBlocks } from '../../native/encodedObjectCache.ts'
import type { ChainReader } from '../context.ts'

const HASH_BYTES = 32
/** Most blocks that are read ahead. */
export const MAX_BLOCKS = 64
const FIRST_BYTES = 16 * 1024
/** A block beyond it waits for the next time, unless it is the first. */
const MAX_BYTES = 1024 * 1024

/** Receipts and bodies of some blocks, read into memory that is used again. */
export class LogBlocks {
  readonly #chain: ChainReader
  readonly #keys = Buffer.alloc(MAX_BLOCKS * BLOCK_KEY_LENGTH)
  readonly #ends = new Int32Array(2 * MAX_BLOCKS)
  #bytes = Buffer.allocUnsafe(FIRST_BYTES)
  #end = 0

  constructor(chain: ChainReader) {
    this.#chain = chain
  }

  /** Reads the blocks of some heights with their hashes, 32 bytes each, as far as their bytes are few, at least one. */
  read(heights: readonly number[], hashes: Buffer): StoredLogBlocks {
    this.#end = 0
    let blocks = 0
    for (const number of heights.slice(0, MAX_BLOCKS)) {
      if (blocks > 0 && this.#end >= MAX_BYTES) break
      const key = blockKey({
        number,
        hash: hashes.subarray(blocks * HASH_BYTES, (blocks + 1) * HASH_BYTES),
      })
      this.#keys.set(key, blocks * BLOCK_KEY_LENGTH)
      this.#add('receipts', key)
      this.#ends[2 * blocks] = this.#end
      this.#add('bodies', key)
      this.#ends[2 * blocks + 1] = this.#end
      blocks += 1
    }
    return {
      keys: this.#keys.subarray(0, blocks * BLOCK_KEY_LENGTH),
      bytes: this.#bytes.subarray(0, this.#end),
      ends: this.#ends.subarray(0, 2 * blocks),
    }
  }

  #add(part: 'receipts' | 'bodies', key: Buffer): void {
    const length = this.#chain.copyStored(part, key, this.#bytes, this.#end)
    if (length < 0) return
    const needed = this.#end + length
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(2 * needed)
      larger.set(this.#bytes.subarray(0, this.#end))
      this.#bytes = larger
      this.#chain.copyStored(part, key, this.#bytes, this.#end)
    }
    this.#end = needed
  }
}
