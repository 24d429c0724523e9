import type { LogCriteria } from '../../../src/chain/logs/logCriteria.ts'
import type { LogCursor } from './logCursor.ts'

/** More alternatives than these are looked up instead of compared one by one. */
const MAX_COMPARED = 8

/** Tests the log at hand of a cursor, in place. */
export class LogMatcher {
  readonly #addresses: Alternatives
  readonly #topics: readonly Alternatives[]
  /** Topics that a log must have at least. */
  readonly #leastTopics: number

  constructor({ addresses, topics }: LogCriteria) {
    this.#addresses = new Alternatives(addresses)
    this.#topics = topics.map((alternatives) => new Alternatives(alternatives))
    this.#leastTopics = topics.findLastIndex((alternatives) => alternatives.length > 0) + 1
  }

  matches(log: LogCursor): boolean {
    if (log.topicCount < this.#leastTopics) return false
    const { receipts } = log
    if (!this.#addresses.include(receipts, log.addressStart, log.addressEnd)) return false
    for (let position = 0; position < this.#leastTopics; position += 1) {
      const start = log.topicStarts[position] ?? 0
      const end = log.topicEnds[position] ?? 0
      if (this.#topics[position]?.include(receipts, start, end) === false) return false
    }
    return true
  }
}

/** Byte strings of which one has to occur; none means any. */
class Alternatives {
  readonly #few: readonly Buffer[]
  readonly #many: ReadonlySet<string> | null

  constructor(alternatives: readonly Buffer[]) {
    const many = alternatives.length > MAX_COMPARED
    this.#few = many ? [] : alternatives
    this.#many = many ? new Set(alternatives.map((bytes) => bytes.toString('latin1'))) : null
  }

  include(bytes: Buffer, start: number, end: number): boolean {
    if (this.#many !== null) return this.#many.has(bytes.toString('latin1', start, end))
    if (this.#few.length === 0) return true
    for (const alternative of this.#few) if (equals(alternative, bytes, start, end)) return true
    return false
  }
}

/** Differences are mostly in the first byte that is compared: quicker than a call into native code. */
function equals(expected: Buffer, bytes: Buffer, start: number, end: number): boolean {
  if (expected.length !== end - start) return false
  for (let at = expected.length - 1; at >= 0; at -= 1) if (expected[at] !== bytes[start + at]) return false
  return true
}
