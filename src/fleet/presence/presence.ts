import type { FleetBlock } from '../head/fleetBlock.ts'
import { MEMBER_ID } from '../member.ts'
import { count, flag, list, name, orNull, parse, type Read, record, text, where } from '../nats/shape.ts'

/** The version of the messages: members that speak another one ignore one another. */
export const SPEAKS = 4

/** Largest presence, bytes. */
const MAX_BYTES = 8192
const MAX_REFUSED = 8
const MAX_LINKS = 256
const HASH = /^[0-9a-f]{64}$/
const ENODE = /^enode:\/\/[0-9a-f]{128}@\S{1,375}$/

/** Says whether a member makes blocks on a development chain: by a timer, when it is asked, or never. */
export type Making = 'timed' | 'asked' | 'never'
const MAKING: readonly unknown[] = ['timed', 'asked', 'never'] satisfies Making[]

const encodedBlock = record({ number: count, hash: text(HASH), totalDifficulty: text(/^[0-9]{1,40}$/) })

function readBlock(value: unknown): FleetBlock {
  const { number, hash, totalDifficulty } = encodedBlock(value)
  return { number, hash: Buffer.from(hash, 'hex'), totalDifficulty: BigInt(totalDifficulty) }
}

const readPresence = record({
  id: text(MEMBER_ID),
  /** Random, of this process. */
  life: text(MEMBER_ID),
  /** Start of this process, milliseconds since 1970. */
  began: count,
  /** Number of times that it reached NATS: what it sent before the last time may be lost. */
  reached: count,
  name,
  version: name,
  /** Hex. */
  genesis: text(HASH),
  /** Time zone of quotas. */
  zone: name,
  /** Milliseconds since 1970, when it was sent. */
  clock: count,
  /** Address at which it takes connections of peers; null where it takes none. */
  enode: orNull(text(ENODE)),
  executed: readBlock,
  adopted: readBlock,
  /** Hashes of the last blocks that are invalid for it, hex. */
  refused: list(text(HASH), MAX_REFUSED),
  ready: flag,
  draining: flag,
  makes: where((value): value is Making => MAKING.includes(value)),
  /** Members that it has a p2p connection with. */
  links: list(text(MEMBER_ID), MAX_LINKS),
})

/** A member's description of itself (fleet.md §2). */
export type Presence = Read<typeof readPresence>

/** The beginning of a presence: all that differs between two while nothing changes. */
const CLOCK = /^\{"clock":([0-9]{13}),/
/** Presences that are kept to be known again: those of so many members. */
const MAX_KEPT = 256

export function encodePresence({ clock, executed, adopted, ...presence }: Presence): Buffer {
  const blocks = { executed: encodeBlock(executed), adopted: encodeBlock(adopted) }
  return Buffer.from(JSON.stringify({ clock, speaks: SPEAKS, ...presence, ...blocks }))
}

function encodeBlock({ number, hash, totalDifficulty }: FleetBlock) {
  return { number, hash: hash.toString('hex'), totalDifficulty: totalDifficulty.toString() }
}

/**
 * Reads a presence. Unknown fields are ignored.
 * @returns null for one of members that speak otherwise @throws FleetError `Malformed`
 */
export function decodePresence(bytes: Buffer): Presence | null {
  return parse(bytes, MAX_BYTES, (value) =>
    record({ speaks: count })(value).speaks === SPEAKS ? readPresence(value) : null,
  )
}

/** Reads presences, of which most differ from the one before by their clock alone: such a one has the same blocks. */
export class PresenceReader {
  /** By what follows the clock. */
  readonly #kept = new Map<string, Presence>()

  /** As {@link decodePresence}. */
  read(bytes: Buffer): Presence | null {
    const text = bytes.toString('latin1')
    const [beginning = '', clock] = CLOCK.exec(text) ?? []
    const rest = text.slice(beginning.length)
    const kept = clock === undefined ? undefined : this.#kept.get(rest)
    if (kept !== undefined) return { ...kept, clock: Number(clock) }
    const presence = decodePresence(bytes)
    if (presence !== null && clock !== undefined) this.#keep(rest, presence)
    return presence
  }

  #keep(rest: string, presence: Presence): void {
    for (const [text, { id }] of this.#kept) if (id === presence.id) this.#kept.delete(text)
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear()
    this.#kept.set(rest, presence)
  }
}
