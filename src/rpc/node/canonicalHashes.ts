import type { BlockHeader } from '../../chain/codec/header.ts'

const HASH_LENGTH = 32
const HASH_WORDS = HASH_LENGTH / 4
/** Heights of a chunk: 8 kB of hashes. */
const CHUNK_BITS = 8
const CHUNK_HEIGHTS = 1 << CHUNK_BITS
/** Chunks that are kept: a million heights would take 32 MB, these take 2. */
const MAX_CHUNKS = 256
/** Blocks by which a chain may have grown between two moments; more are not looked at one by one. */
const MAX_FOLLOWED = 64

interface Chunk {
  readonly words: Int32Array
  /** Not 0 where the hash is known. */
  readonly known: Uint8Array
}

/**
 * Hashes of the blocks of one chain by their heights, as far as they were asked for. They stay as long as the chain
 * only grows: which hashes belong to it follows from its last block alone.
 */
export class CanonicalHashes {
  readonly #chunks = new Map<number, Chunk>()
  #tip: BlockHeader | null = null

  /**
   * Moves to the chain that ends with a block.
   * @param headerOf a stored header by its hash
   */
  follow(tip: BlockHeader, headerOf: (hash: Buffer) => BlockHeader | null): void {
    const before = this.#tip
    this.#tip = tip
    if (before === null || before.hash.equals(tip.hash)) return
    let header: BlockHeader | null = tip
    if (tip.number - before.number > MAX_FOLLOWED) header = null
    while (header !== null && header.number > before.number) header = headerOf(header.parentHash)
    if (header?.hash.equals(before.hash) !== true) this.#chunks.clear()
  }

  /**
   * Hashes of heights, 32 bytes each in one piece.
   * @param read the hash of a height of the same chain
   */
  hashesAt(heights: readonly number[], read: (height: number) => Buffer): Buffer {
    const words = new Int32Array(heights.length * HASH_WORDS)
    let chunk: Chunk | undefined
    let chunkNumber = -1
    for (let i = 0; i < heights.length; i += 1) {
      const height = heights[i] ?? 0
      const number = Math.floor(height / CHUNK_HEIGHTS)
      if (chunk === undefined || number !== chunkNumber) {
        chunk = this.#chunk(number)
        chunkNumber = number
      }
      const offset = height & (CHUNK_HEIGHTS - 1)
      if (chunk.known[offset] === 0) {
        Buffer.from(chunk.words.buffer).set(read(height), offset * HASH_LENGTH)
        chunk.known[offset] = 1
      }
      for (let word = 0; word < HASH_WORDS; word += 1) {
        words[i * HASH_WORDS + word] = chunk.words[offset * HASH_WORDS + word] ?? 0
      }
    }
    return Buffer.from(words.buffer)
  }

  #chunk(number: number): Chunk {
    const kept = this.#chunks.get(number)
    const chunk = kept ?? {
      words: new Int32Array(CHUNK_HEIGHTS * HASH_WORDS),
      known: new Uint8Array(CHUNK_HEIGHTS),
    }
    if (kept !== undefined) this.#chunks.delete(number)
    this.#chunks.set(number, chunk)
    if (this.#chunks.size > MAX_CHUNKS) {
      const oldest = this.#chunks.keys().next()
      if (oldest.done !== true) this.#chunks.delete(oldest.value)
    }
    return chunk
  }
}
