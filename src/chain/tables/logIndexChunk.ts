/** Heights of a chunk. */
const HEIGHTS = 4096
const BITMAP_BYTES = HEIGHTS / 8
/** Number of offsets from which a bitmap is not larger than a list. */
const MAX_LISTED = BITMAP_BYTES / 2 - 1

/**
 * Sets of offsets (0 to 4095) as they are stored: a sorted list of 2 bytes each (little-endian) while it is
 * shorter than 512 bytes, else a bitmap of 512 bytes (bit `offset & 7` of byte `offset >> 3`).
 */
export function setInChunk(chunk: Buffer | undefined, offset: number): Buffer {
  if (chunk === undefined) return listOf([offset])
  if (chunk.length === BITMAP_BYTES) {
    const bitmap = Buffer.from(chunk)
    setBit(bitmap, offset)
    return bitmap
  }
  const position = offsetIn(chunk, offset)
  if (position < chunk.length && chunk.readUInt16LE(position) === offset) return chunk
  if (chunk.length / 2 < MAX_LISTED) {
    const list = Buffer.allocUnsafe(chunk.length + 2)
    chunk.copy(list, 0, 0, position)
    list.writeUInt16LE(offset, position)
    chunk.copy(list, position + 2, position)
    return list
  }
  const bitmap = Buffer.alloc(BITMAP_BYTES)
  for (let at = 0; at < chunk.length; at += 2) setBit(bitmap, chunk.readUInt16LE(at))
  setBit(bitmap, offset)
  return bitmap
}

/** The set without an offset; undefined when it becomes empty. */
export function clearInChunk(chunk: Buffer, offset: number): Buffer | undefined {
  if (chunk.length === BITMAP_BYTES) {
    const bitmap = Buffer.from(chunk)
    bitmap[offset >> 3] = (bitmap[offset >> 3] ?? 0) & ~(1 << (offset & 7))
    return bitmap.some((byte) => byte !== 0) ? bitmap : undefined
  }
  const position = offsetIn(chunk, offset)
  if (position >= chunk.length || chunk.readUInt16LE(position) !== offset) return chunk
  if (chunk.length === 2) return undefined
  return Buffer.concat([chunk.subarray(0, position), chunk.subarray(position + 2)])
}

/** Adds the offsets of a stored set. */
export function readChunk(chunk: Buffer, into: ChunkBits): void {
  if (chunk.length === BITMAP_BYTES) {
    for (let word = 0; word < WORDS; word += 1) into.addWord(word, chunk.readInt32LE(word * 4))
    return
  }
  for (let at = 0; at < chunk.length; at += 2) {
    const offset = chunk.readUInt16LE(at)
    into.addWord(offset >> 5, 1 << (offset & 31))
  }
}

const WORDS = HEIGHTS / 32

/** A mutable set of offsets. */
export class ChunkBits {
  readonly #words = new Int32Array(WORDS)

  clear(): void {
    this.#words.fill(0)
  }

  /** Adds every offset. */
  fill(): void {
    this.#words.fill(-1)
  }

  addWord(word: number, bits: number): void {
    this.#words[word] = (this.#words[word] ?? 0) | bits
  }

  intersect(other: ChunkBits): void {
    for (let word = 0; word < WORDS; word += 1) {
      this.#words[word] = (this.#words[word] ?? 0) & (other.#words[word] ?? 0)
    }
  }

  /** Offsets within bounds, both inclusive and ascending; each is counted from `base`. */
  values(first: number, last: number, base: number): number[] {
    const values: number[] = []
    for (let word = first >> 5; word <= last >> 5; word += 1) {
      let bits = this.#words[word] ?? 0
      while (bits !== 0) {
        const lowest = bits & -bits
        const offset = word * 32 + 31 - Math.clz32(lowest)
        bits ^= lowest
        if (offset >= first && offset <= last) values.push(base + offset)
      }
    }
    return values
  }
}

function listOf(offsets: readonly number[]): Buffer {
  const list = Buffer.allocUnsafe(offsets.length * 2)
  offsets.forEach((offset, index) => {
    list.writeUInt16LE(offset, index * 2)
  })
  return list
}

/**
 * Byte position of the first listed offset that is not smaller. The search begins at the end, because new
 * blocks are the highest.
 */
function offsetIn(list: Buffer, offset: number): number {
  let position = list.length
  while (position > 0 && list.readUInt16LE(position - 2) >= offset) position -= 2
  return position
}

function setBit(bitmap: Buffer, offset: number): void {
  bitmap[offset >> 3] = (bitmap[offset >> 3] ?? 0) | (1 << (offset & 7))
}
