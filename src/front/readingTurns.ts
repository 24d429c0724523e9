/** Sockets that are read at once while others wait for their turn, at most; fewer while turns are late. */
const MAX_AT_ONCE = 8
/** Milliseconds of a turn, and those by which it may be late: then what was read in it took too long. */
const TURN_MILLISECONDS = 1
const MAX_LATE_MILLISECONDS = 1

/** Whoever takes turns in being read. */
export interface TurnReader {
  /** The owner of the turns, such as the account of a client. */
  readonly client: object
  /** It is read from now on. */
  resume(): void
  /** It is not read until its next turn. */
  pause(): void
}

/**
 * Turns in which sockets are read that bring much. The socket library reads whatever the kernel has of all of them
 * before anybody else is served, so only some are read at a time: one of each client after the other, while more of
 * them wait than are read at once.
 */
export class ReadingTurns<R extends TurnReader> {
  readonly #onTurn: (readers: readonly R[]) => void
  /** Those that are read. */
  readonly #reading = new Set<R>()
  /** Those that wait, by client, the next client first. */
  readonly #waiting = new Map<object, Set<R>>()
  #timer: NodeJS.Timeout | null = null
  #atOnce = MAX_AT_ONCE
  /** Milliseconds of the clock when the turn should end. */
  #due = 0

  /** @param onTurn called at the end of a turn with those that were read, of which it may remove some */
  constructor(onTurn: (readers: readonly R[]) => void) {
    this.#onTurn = onTurn
  }

  /** True when some wait. */
  get isBusy(): boolean {
    return this.#waiting.size > 0
  }

  /** Has a socket that is read take turns from now on. */
  add(reader: R): void {
    if (!this.isBusy && this.#reading.size < this.#atOnce) {
      this.#reading.add(reader)
      return
    }
    this.#pause(reader)
    if (this.#timer === null) this.#begin()
  }

  /** One that takes turns has been read although it waits: it is read no further. */
  pause(reader: R): void {
    if (!this.#reading.has(reader)) reader.pause()
  }

  /** Has it take no turns any more, and be read. */
  remove(reader: R): void {
    if (!this.#reading.delete(reader) && this.#forget(reader)) reader.resume()
  }

  /** It is closed. */
  forget(reader: R): void {
    if (!this.#reading.delete(reader)) this.#forget(reader)
  }

  #begin(): void {
    this.#due = performance.now() + TURN_MILLISECONDS
    this.#timer = setTimeout(() => this.#end(), TURN_MILLISECONDS).unref()
  }

  #end(): void {
    this.#timer = null
    const isLate = performance.now() > this.#due + MAX_LATE_MILLISECONDS
    this.#atOnce = isLate ? Math.max(1, this.#atOnce >> 1) : Math.min(MAX_AT_ONCE, this.#atOnce + 1)
    const ended = [...this.#reading]
    this.#onTurn(ended)
    for (const reader of ended) {
      if (this.#reading.delete(reader)) this.#pause(reader)
    }
    while (this.#reading.size < this.#atOnce) {
      const reader = this.#next()
      if (reader === null) break
      this.#reading.add(reader)
      reader.resume()
    }
    if (this.isBusy) this.#begin()
  }

  #pause(reader: R): void {
    reader.pause()
    const others = this.#waiting.get(reader.client)
    if (others === undefined) this.#waiting.set(reader.client, new Set([reader]))
    else others.add(reader)
  }

  /** The next one of the next client, which is the last one then. */
  #next(): R | null {
    for (const [client, readers] of this.#waiting) {
      this.#waiting.delete(client)
      for (const reader of readers) {
        readers.delete(reader)
        if (readers.size > 0) this.#waiting.set(client, readers)
        return reader
      }
    }
    return null
  }

  /** True when it was waiting. */
  #forget(reader: R): boolean {
    const readers = this.#waiting.get(reader.client)
    if (readers?.delete(reader) !== true) return false
    if (readers.size === 0) this.#waiting.delete(reader.client)
    return true
  }
}
