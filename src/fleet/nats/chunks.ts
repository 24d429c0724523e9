/** Header of a chunk: `i/n`, i from 0 (fleet.md §5). */
export const CHUNK_HEADER = 'Chunk'

/** Chunks of one message: no more are counted. */
const MOST_CHUNKS = 65_536
/** What a chunk takes beside its bytes. */
const CHUNK_OVERHEAD = 256

/** Which chunk of how many. */
export interface ChunkPlace {
  readonly index: number
  readonly count: number
}

export function chunkHeader({ index, count }: ChunkPlace): string {
  return `${index}/${count}`
}

/** The place that a header names; null when it is none. */
export function parseChunkHeader(text: string): ChunkPlace | null {
  const match = /^(\d{1,5})\/(\d{1,5})$/.exec(text)
  if (match === null) return null
  const index = Number(match[1])
  const count = Number(match[2])
  return count >= 1 && count <= MOST_CHUNKS && index < count ? { index, count } : null
}

/**
 * Cuts a message; an empty one is one empty chunk. The chunks share its memory.
 * @param size largest chunk, bytes
 */
export function splitChunks(message: Uint8Array, size: number): readonly Uint8Array[] {
  const count = Math.max(1, Math.ceil(message.length / size))
  return Array.from({ length: count }, (_, index) => message.subarray(index * size, (index + 1) * size))
}

/** Bounds of messages that are not complete. */
export interface ChunkBounds {
  /** Of one message, bytes. */
  readonly message: number
  /** Of all incomplete messages of one source, bytes. */
  readonly source: number
  /** Of all incomplete messages, bytes. */
  readonly total: number
  /** Milliseconds after its first chunk when an incomplete message is dropped. */
  readonly lifetime: number
}

interface Incomplete {
  readonly key: string
  readonly source: string
  readonly count: number
  readonly chunks: Map<number, Buffer>
  readonly began: number
  /** Of its chunks with their overhead. */
  held: number
  /** Of its chunks. */
  length: number
}

/** What became of a chunk. */
export type ChunkOutcome =
  | { readonly kind: 'complete'; readonly message: Buffer }
  | { readonly kind: 'waiting' }
  /** It contradicts an earlier chunk, or the message is too large: all of the message is dropped. */
  | { readonly kind: 'refused'; readonly reason: string }

/**
 * Puts messages together whose chunks come in any order, also more than once. Where memory is used up, the oldest
 * incomplete message goes, first of those of the same source.
 */
export class ChunkAssembler {
  readonly #bounds: ChunkBounds
  readonly #now: () => number
  /** By key, oldest first. */
  readonly #incomplete = new Map<string, Incomplete>()
  readonly #heldBySource = new Map<string, number>()
  #held = 0
  /** Messages that were given up, for metrics. */
  dropped = 0

  /** @param now milliseconds of a clock that does not go back */
  constructor(bounds: ChunkBounds, now: () => number) {
    this.#bounds = bounds
    this.#now = now
  }

  /** Bytes of incomplete messages, with what their chunks take beside. */
  get held(): number {
    return this.#held
  }

  /**
   * @param source who sent it: the bound per source is by this
   * @param id of the message, unique within its source
   */
  add(source: string, id: string, { index, count }: ChunkPlace, bytes: Uint8Array): ChunkOutcome {
    this.#expire()
    if (bytes.length > this.#bounds.message) return { kind: 'refused', reason: 'a chunk is too large' }
    if (count === 1) return { kind: 'complete', message: Buffer.from(bytes) }
    const key = `${source}\n${id}`
    const message = this.#incomplete.get(key) ?? this.#begin(key, source, count)
    if (message.count !== count) {
      this.#drop(message)
      return { kind: 'refused', reason: 'its chunks name different counts' }
    }
    if (message.chunks.has(index)) return { kind: 'waiting' }
    if (message.length + bytes.length > this.#bounds.message) {
      this.#drop(message)
      return { kind: 'refused', reason: `it has more than ${this.#bounds.message} bytes` }
    }
    // A copy: the chunk may be a view of a much larger read of the socket.
    message.chunks.set(index, Buffer.from(bytes))
    message.length += bytes.length
    message.held += bytes.length + CHUNK_OVERHEAD
    this.#count(source, bytes.length + CHUNK_OVERHEAD)
    if (message.chunks.size === count) {
      this.#remove(message)
      const parts = Array.from({ length: count }, (_, at) => message.chunks.get(at) as Buffer)
      return { kind: 'complete', message: Buffer.concat(parts, message.length) }
    }
    this.#makeRoom(message)
    return this.#incomplete.has(key) ? { kind: 'waiting' } : { kind: 'refused', reason: 'no memory is left' }
  }

  #begin(key: string, source: string, count: number): Incomplete {
    const message = { key, source, count, chunks: new Map(), began: this.#now(), held: 0, length: 0 }
    this.#incomplete.set(key, message)
    return message
  }

  #expire(): void {
    const oldest = this.#now() - this.#bounds.lifetime
    for (const message of this.#incomplete.values()) {
      if (message.began > oldest) return
      this.#drop(message)
    }
  }

  #makeRoom({ source }: Incomplete): void {
    if (this.#ofSource(source) > this.#bounds.source) {
      for (const message of this.#incomplete.values()) {
        if (message.source === source) this.#drop(message)
        if (this.#ofSource(source) <= this.#bounds.source) break
      }
    }
    if (this.#held <= this.#bounds.total) return
    for (const message of this.#incomplete.values()) {
      this.#drop(message)
      if (this.#held <= this.#bounds.total) return
    }
  }

  #ofSource(source: string): number {
    return this.#heldBySource.get(source) ?? 0
  }

  #count(source: string, bytes: number): void {
    this.#held += bytes
    const held = this.#ofSource(source) + bytes
    if (held === 0) this.#heldBySource.delete(source)
    else this.#heldBySource.set(source, held)
  }

  #drop(message: Incomplete): void {
    this.dropped += 1
    this.#remove(message)
  }

  #remove(message: Incomplete): void {
    if (this.#incomplete.delete(message.key)) this.#count(message.source, -message.held)
  }
}
