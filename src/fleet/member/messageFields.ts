import { Packr } from 'msgpackr'
import { asBuffer, bigIntToBytes, bytesToBigInt } from '../../util/bytes.ts'
import { FleetError } from '../errors.ts'
import type { FleetBlock, MemberId } from '../interface.ts'
import { MEMBER_ID } from '../nats/names.ts'

const HASH_LENGTH = 32
/** Most bytes of a total difficulty. */
const DIFFICULTY_LENGTH = 32

// Records and references are extensions that make decoding depend on earlier messages.
const packr = new Packr({ useRecords: false, structuredClone: false, int64AsType: 'number' })

/** Msgpack of a message between members: arrays, integers, texts and byte strings. */
export function pack(fields: readonly unknown[]): Buffer {
  return asBuffer(packr.pack(fields))
}

/**
 * The fields of a message, read in their order: whoever reads says what each has to be.
 * Later versions may add fields at the end, which are not read.
 */
export class Fields {
  readonly #values: readonly unknown[]
  #next = 0

  constructor(values: readonly unknown[]) {
    this.#values = values
  }

  /** @throws FleetError `Malformed` */
  static unpack(bytes: Uint8Array, mostBytes: number): Fields {
    if (bytes.length > mostBytes) throw malformed(`${bytes.length} bytes`)
    let value: unknown
    try {
      value = packr.unpack(bytes)
    } catch (cause) {
      throw new FleetError('Malformed', 'a message that is no msgpack', { cause })
    }
    return new Fields(asArray(value))
  }

  /** A whole number from 0 to `most`. */
  integer(most: number = Number.MAX_SAFE_INTEGER): number {
    const value = this.#take()
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0 || value > most)
      throw malformed('a number')
    return value
  }

  /** A number from 0 to 1. */
  share(): number {
    const value = this.#take()
    if (typeof value !== 'number' || !(value >= 0 && value <= 1)) throw malformed('a share')
    return value
  }

  flag(): boolean {
    const value = this.#take()
    if (typeof value !== 'boolean') throw malformed('a flag')
    return value
  }

  text(mostLength: number): string {
    const value = this.#take()
    if (typeof value !== 'string' || value.length > mostLength) throw malformed('a text')
    return value
  }

  member(): MemberId {
    const value = this.#take()
    if (typeof value !== 'string' || !MEMBER_ID.test(value)) throw malformed('a member id')
    return value
  }

  /** Byte string that is a copy: it outlives the message. */
  bytes(most: number): Buffer {
    const value = this.#take()
    if (!(value instanceof Uint8Array) || value.length > most) throw malformed('bytes')
    return Buffer.from(value)
  }

  hash(): Buffer {
    return this.exactly(HASH_LENGTH)
  }

  /** Byte string of one length, as a copy. */
  exactly(length: number): Buffer {
    const bytes = this.bytes(length)
    if (bytes.length !== length) throw malformed(`${bytes.length} bytes`)
    return bytes
  }

  block(): FleetBlock {
    const fields = this.fields()
    return {
      number: fields.integer(),
      hash: fields.hash(),
      totalDifficulty: bytesToBigInt(fields.bytes(DIFFICULTY_LENGTH)),
    }
  }

  /** The fields of a list in this one. */
  fields(): Fields {
    return new Fields(asArray(this.#take()))
  }

  /** Elements of a list, each read by `read`. */
  list<T>(mostItems: number, read: (item: Fields) => T): T[] {
    const values = asArray(this.#take())
    if (values.length > mostItems) throw malformed(`a list of ${values.length}`)
    const items = new Fields(values)
    return values.map(() => read(items))
  }

  /** What {@link read} reads, or null where the message has nil. */
  optional<T>(read: (fields: Fields) => T): T | null {
    if (this.#values[this.#next] !== null) return read(this)
    this.#next += 1
    return null
  }

  /** What {@link read} reads, or null in a message of an earlier version, which ends before. */
  added<T>(read: (fields: Fields) => T): T | null {
    return this.#next < this.#values.length ? this.optional(read) : null
  }

  #take(): unknown {
    const value = this.#values[this.#next]
    this.#next += 1
    return value
  }
}

/** The fields that {@link Fields.block} reads. */
export function blockFields({ number, hash, totalDifficulty }: FleetBlock): readonly unknown[] {
  return [number, hash, bigIntToBytes(totalDifficulty)]
}

function asArray(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw malformed('a list')
  return value
}

function malformed(what: string): FleetError {
  return new FleetError('Malformed', `a message of a member with ${what} where that cannot be`)
}
