import type { ChainEnvironment, TableReader, TableWriter } from '../../storage/chainEnvironment.ts'
import { ChunkBits, clearInChunk, readChunk, setInChunk } from './logIndexChunk.ts'
import { type LogTerm, TERM_LENGTH } from './logTerm.ts'

/**
 * Heights of one chunk: 2^12. A chunk is then never larger than 512 bytes, and a million blocks make 245 of
 * them.
 */
const CHUNK_BITS = 12
const CHUNK_HEIGHTS = 1 << CHUNK_BITS
const KEY_LENGTH = TERM_LENGTH + 4

/**
 * The terms of one condition, any of which may occur; a block may match when it has one term of each
 * condition.
 */
export type LogConditions = readonly (readonly LogTerm[])[]

/**
 * Changes of the index within one transaction, collected so that a term which occurs in many of its blocks is
 * read and written once. The index holds canonical blocks only.
 */
export class LogIndexChanges {
  /** By chunk key: heights in the chunk, removed ones as their complement, in order. */
  readonly #changes = new Map<string, number[]>()

  /** Adds a block with these terms, which became canonical. */
  add(height: number, terms: Iterable<LogTerm>): void {
    this.#record(height, terms, height & (CHUNK_HEIGHTS - 1))
  }

  /** Removes a block with these terms, which left the canonical chain. */
  remove(height: number, terms: Iterable<LogTerm>): void {
    this.#record(height, terms, ~(height & (CHUNK_HEIGHTS - 1)))
  }

  /** Writes the collected changes and clears them. */
  write(writer: TableWriter): void {
    for (const [key, changes] of this.#changes) applyChanges(writer, Buffer.from(key, 'latin1'), changes)
    this.#changes.clear()
  }

  #record(height: number, terms: Iterable<LogTerm>, change: number): void {
    const suffix = chunkSuffix(chunkOf(height)).toString('latin1')
    for (const term of terms) {
      const key = term + suffix
      const known = this.#changes.get(key)
      if (known === undefined) this.#changes.set(key, [change])
      else known.push(change)
    }
  }
}

function applyChanges(writer: TableWriter, key: Buffer, changes: readonly number[]): void {
  let chunk = writer.get('logIndex', key)
  for (const change of changes) {
    chunk = change >= 0 ? setInChunk(chunk, change) : chunk && clearInChunk(chunk, ~change)
  }
  if (chunk === undefined) writer.remove('logIndex', key)
  else writer.put('logIndex', key, chunk)
}

/**
 * Heights of canonical blocks whose logs may match, ascending, in batches: every height of a block with one
 * term of each condition is among them. Blocks without any of the terms are not read.
 * @param from first height
 * @param to last height
 */
export function* findLogHeights(
  reader: TableReader,
  conditions: LogConditions,
  from: number,
  to: number,
): Generator<readonly number[]> {
  const last = chunkOf(to)
  const groups = conditions.map((terms) => terms.map((term) => new TermChunks(reader, term, last)))
  const bits = new ChunkBits()
  const group = new ChunkBits()
  try {
    for (let chunk = chunkOf(from); chunk <= last; chunk += 1) {
      chunk = nextCommonChunk(groups, chunk)
      if (chunk > last) return
      bits.fill()
      for (const terms of groups) {
        group.clear()
        for (const term of terms) if (term.chunk === chunk) readChunk(term.value, group)
        bits.intersect(group)
      }
      const base = chunk * CHUNK_HEIGHTS
      const heights = bits.values(Math.max(0, from - base), Math.min(CHUNK_HEIGHTS - 1, to - base), base)
      if (heights.length > 0) yield heights
    }
  } finally {
    for (const terms of groups) for (const term of terms) term.close()
  }
}

/** Heights of all terms together. */
export function countLogTerms(environment: ChainEnvironment): number {
  const bits = new ChunkBits()
  let count = 0
  for (const { value } of environment.entries('logIndex')) {
    bits.clear()
    readChunk(value, bits)
    count += bits.values(0, CHUNK_HEIGHTS - 1, 0).length
  }
  return count
}

/**
 * The first chunk at or after `start` in which every condition has a term; beyond the last when there is
 * none.
 */
function nextCommonChunk(groups: readonly (readonly TermChunks[])[], start: number): number {
  let chunk = start
  for (let agreed = false; !agreed; ) {
    agreed = true
    for (const terms of groups) {
      let nearest = Number.POSITIVE_INFINITY
      for (const term of terms) {
        term.seek(chunk)
        if (term.chunk < nearest) nearest = term.chunk
      }
      if (nearest > chunk) {
        chunk = nearest
        agreed = false
      }
    }
    if (chunk === Number.POSITIVE_INFINITY) return chunk
  }
  return chunk
}

/** The chunks of one term, read in order. */
class TermChunks {
  /** Number of the current chunk; infinite after the last. */
  chunk = -1
  value: Buffer = Buffer.alloc(0)
  readonly #reader: TableReader
  readonly #term: Buffer
  readonly #last: number
  #entries: Iterator<{ readonly key: Buffer; readonly value: Buffer }> | undefined

  constructor(reader: TableReader, term: LogTerm, last: number) {
    this.#reader = reader
    this.#term = Buffer.from(term, 'latin1')
    this.#last = last
  }

  /** Must be called at the end: an unfinished iteration keeps its snapshot open. */
  close(): void {
    this.#entries?.return?.()
  }

  /** Advances to the first chunk at or after a number. */
  seek(chunk: number): void {
    if (this.chunk >= chunk) return
    if (chunk > this.#last) {
      this.chunk = Number.POSITIVE_INFINITY
      return
    }
    if (this.#entries === undefined) {
      const key = (number: number) => Buffer.concat([this.#term, chunkSuffix(number)])
      this.#entries = this.#reader.range('logIndex', key(chunk), key(this.#last + 1))[Symbol.iterator]()
    }
    while (this.chunk < chunk) {
      const next = this.#entries.next()
      if (next.done === true) {
        this.chunk = Number.POSITIVE_INFINITY
        return
      }
      this.chunk = next.value.key.readUInt32BE(TERM_LENGTH)
      this.value = next.value.value
    }
  }
}

function chunkOf(height: number): number {
  return Math.floor(height / CHUNK_HEIGHTS)
}

function chunkSuffix(chunk: number): Buffer {
  const suffix = Buffer.allocUnsafe(KEY_LENGTH - TERM_LENGTH)
  suffix.writeUInt32BE(chunk)
  return suffix
}
