import type { FleetBlock } from '../interface.ts'
import { parseObject } from '../parseObject.ts'

/** What a member says of itself with each renewal of its lease (fleet.md §2). JSON, for people with tools of NATS. */
export interface MemberRecord {
  /** Random, of one run of the process: tells two processes with one id from one another. */
  readonly incarnation: string
  readonly name: string
  readonly number: number
  readonly version: string
  readonly serves: boolean
  /** Its canonical head. */
  readonly head: FleetBlock | null
  /** Behind the fleet head, milliseconds. */
  readonly lag: number | null
  /** Share of time in which its busiest thread was not idle, 0 to 1. */
  readonly load: number
  /** For which signatures the head stands still, for people; null for none (fleet.md §12). */
  readonly waits?: string | null
  /** Another member took this lease for over: what its holder renews next does not fit the revision. */
  readonly over: boolean
}

/** Largest record, bytes. */
export const LARGEST_RECORD = 4096

const INCARNATION = /^[0-9a-f]{16}$/
const HASH = /^[0-9a-f]{64}$/
const DECIMAL = /^\d{1,40}$/
const LONGEST_TEXT = 128

export function encodeMemberRecord(record: MemberRecord): string {
  const { name, version, head, waits = null, ...rest } = record
  return JSON.stringify({
    ...rest,
    ...(waits === null ? {} : { waits: waits.slice(0, LONGEST_TEXT) }),
    name: name.slice(0, LONGEST_TEXT),
    version: version.slice(0, LONGEST_TEXT),
    head: head && {
      number: head.number,
      hash: head.hash.toString('hex'),
      totalDifficulty: String(head.totalDifficulty),
    },
  })
}

/** Null for anything that is no record. */
export function parseMemberRecord(bytes: Uint8Array): MemberRecord | null {
  const fields = parseObject(bytes, LARGEST_RECORD)
  if (fields === null) return null
  const { incarnation, name, number, version, serves, lag, load, over, waits = null } = fields
  if (typeof incarnation !== 'string' || !INCARNATION.test(incarnation)) return null
  if (!isText(name) || !isText(version) || !isCount(number) || typeof serves !== 'boolean') return null
  if (lag !== null && !isShare(lag, Number.MAX_SAFE_INTEGER)) return null
  if (!isShare(load, 1)) return null
  if (waits !== null && !isText(waits)) return null
  const head = parseHead(fields['head'])
  if (head === undefined) return null
  return { incarnation, name, number, version, serves, head, lag, load, waits, over: over === true }
}

/** Undefined when it is none. */
function parseHead(value: unknown): FleetBlock | null | undefined {
  if (value === null) return null
  const { number, hash, totalDifficulty } = (value ?? {}) as Readonly<Record<string, unknown>>
  if (!isCount(number) || typeof hash !== 'string' || !HASH.test(hash)) return undefined
  if (typeof totalDifficulty !== 'string' || !DECIMAL.test(totalDifficulty)) return undefined
  return { number, hash: Buffer.from(hash, 'hex'), totalDifficulty: BigInt(totalDifficulty) }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= LONGEST_TEXT
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isShare(value: unknown, most: number): value is number {
  return typeof value === 'number' && value >= 0 && value <= most
}
