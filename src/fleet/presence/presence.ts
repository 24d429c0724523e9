import type { FleetBlock, MemberId } from '../interface.ts'
import { MEMBER_ID } from '../memberFile.ts'

/** The version of the messages: members that speak another one do not hear one another. */
export const SPEAKS = 2

/** Largest presence, bytes. */
const MAX_BYTES = 8192
const MAX_TEXT = 128
const MAX_ENODE = 512
const MAX_REFUSED = 8
const MAX_LINKS = 256
const HASH = /^[0-9a-f]{64}$/
const WEIGHT = /^[0-9]{1,40}$/
const ENODE = /^enode:\/\/[0-9a-f]{128}@\S+$/

/** Tells whether a member makes blocks on a development chain: by a timer, when it is asked, or never. */
export type Making = 'timed' | 'asked' | 'never'
const MAKING: readonly Making[] = ['timed', 'asked', 'never']

/** A member's description of itself (fleet.md §2). */
export interface Presence {
  readonly id: MemberId
  /** Random, of this process. */
  readonly life: string
  /** When this process began, milliseconds since 1970. */
  readonly began: number
  /** How often it reached NATS: what it told before the last time may be lost. */
  readonly reached: number
  readonly name: string
  readonly version: string
  /** Hex. */
  readonly genesis: string
  /** Time zone of quotas. */
  readonly zone: string
  /** Milliseconds since 1970, when it was told. */
  readonly clock: number
  /** Where it takes connections of peers; null where it does not. */
  readonly enode: string | null
  readonly executed: FleetBlock
  readonly adopted: FleetBlock
  /** Hashes of the last blocks that are invalid for it, hex. */
  readonly refused: readonly string[]
  readonly ready: boolean
  readonly draining: boolean
  readonly makes: Making
  /** Members that it has a p2p connection with. */
  readonly links: readonly MemberId[]
}

export function encodePresence({ executed, adopted, ...plain }: Presence): Buffer {
  const message = { speaks: SPEAKS, ...plain, executed: encodeBlock(executed), adopted: encodeBlock(adopted) }
  return Buffer.from(JSON.stringify(message))
}

/**
 * Reads a presence. Unknown fields are ignored.
 * @returns null for one of members that speak otherwise
 * @throws RangeError when it does not parse
 */
export function decodePresence(bytes: Buffer): Presence | null {
  if (bytes.length > MAX_BYTES) throw new RangeError(`a presence of ${bytes.length} bytes`)
  const value = readObject(JSON.parse(bytes.toString('utf8')))
  const speaks = readInteger(value['speaks'])
  if (speaks !== SPEAKS) return null
  const enode = value['enode'] === null ? null : readText(value['enode'], MAX_ENODE, ENODE)
  return {
    id: readText(value['id'], MAX_TEXT, MEMBER_ID),
    life: readText(value['life'], MAX_TEXT, MEMBER_ID),
    began: readInteger(value['began']),
    reached: readInteger(value['reached']),
    name: readText(value['name'], MAX_TEXT),
    version: readText(value['version'], MAX_TEXT),
    genesis: readText(value['genesis'], MAX_TEXT, HASH),
    zone: readText(value['zone'], MAX_TEXT),
    clock: readInteger(value['clock']),
    enode,
    executed: readBlock(value['executed']),
    adopted: readBlock(value['adopted']),
    refused: readList(value['refused'], MAX_REFUSED, HASH),
    ready: readBoolean(value['ready']),
    draining: readBoolean(value['draining']),
    makes: MAKING.find((making) => making === value['makes']) ?? 'never',
    links: readList(value['links'], MAX_LINKS, MEMBER_ID),
  }
}

function encodeBlock({ number, hash, totalDifficulty }: FleetBlock) {
  return { number, hash: hash.toString('hex'), totalDifficulty: totalDifficulty.toString() }
}

function readBlock(value: unknown): FleetBlock {
  const { number, hash, totalDifficulty } = readObject(value)
  return {
    number: readInteger(number),
    hash: Buffer.from(readText(hash, MAX_TEXT, HASH), 'hex'),
    totalDifficulty: BigInt(readText(totalDifficulty, MAX_TEXT, WEIGHT)),
  }
}

function readObject(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new RangeError('no object')
  return value as Readonly<Record<string, unknown>>
}

function readText(value: unknown, most: number, pattern?: RegExp): string {
  if (typeof value === 'string' && value.length <= most && pattern?.test(value) !== false) return value
  throw new RangeError('no text of this form')
}

function readInteger(value: unknown): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number
  throw new RangeError('no number')
}

function readBoolean(value: unknown): boolean {
  if (typeof value === 'boolean') return value
  throw new RangeError('no boolean')
}

function readList(value: unknown, most: number, pattern: RegExp): readonly string[] {
  if (!Array.isArray(value) || value.length > most) throw new RangeError('no list')
  return value.map((item) => readText(item, MAX_TEXT, pattern))
}
