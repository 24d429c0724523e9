import { Packr } from 'msgpackr'
import { CodedError } from '../../util/codedError.ts'

/** Keys that one call asks for, at most; more wait for the next call. */
export const MOST_KEYS = 512

/** Most bytes of a call and of its answer. */
export const GRANT_BYTES = 128 * 1024

const LONGEST_ID = 64
const MEMBER = /^[0-9a-f]{16}$/

// As in nats/packed.ts, which the front thread does not load: it would bring the client of NATS along.
const packr = new Packr({ useRecords: false, mapsAsObjects: true })

/** What a member wants for one key. All but the id are cost units, `demand` and `rate` a second (fleet.md §7). */
export interface GrantAsk {
  readonly id: string
  /** Limits of the key as the member knows them; 0 is none. */
  readonly rate: number
  readonly burst: number
  readonly dailyQuota: number
  /** What was asked for lately at this member, refused requests included. */
  readonly demand: number
  /** Of the rate, in advance. */
  readonly wanted: number
  /** Of the rate, used without a grant. */
  readonly overdrawn: number
  /** Of the quota of the day, in advance. */
  readonly quotaWanted: number
  /** Of the quota of the day, used without a grant. */
  readonly quotaOverdrawn: number
}

/** What the leader gives for one key, cost units. */
export interface Grant {
  readonly units: number
  /** Of those that were overdrawn. */
  readonly covered: number
  /** What is left in the bucket of the fleet. */
  readonly level: number
  readonly quotaUnits: number
  readonly quotaCovered: number
  /** What is left of the day for the fleet. */
  readonly quotaLeft: number
}

export interface GrantCall {
  /** Id of the member. */
  readonly member: string
  readonly asks: readonly GrantAsk[]
}

export interface GrantAnswer {
  /** The day that the quotas are of, as the leader has it. */
  readonly day: number
  /** In the order of the asks. */
  readonly grants: readonly Grant[]
}

/** Bytes that are no call for cost units, or no answer to one. */
export class GrantFormatError extends CodedError<'Malformed'> {
  override readonly name = 'GrantFormatError'
}

export function encodeGrantCall({ member, asks }: GrantCall): Buffer {
  const rows = asks.map((ask) => [ask.id, ...ASK_FIGURES.map((name) => ask[name])])
  return Buffer.from(packr.pack([member, rows]))
}

/** @throws GrantFormatError */
export function decodeGrantCall(bytes: Uint8Array): GrantCall {
  const [member, rows] = unpackPair(bytes)
  if (typeof member !== 'string' || !MEMBER.test(member)) throw malformed()
  return { member, asks: rows.map(readAsk) }
}

export function encodeGrantAnswer({ day, grants }: GrantAnswer): Buffer {
  return Buffer.from(packr.pack([day, grants.map((grant) => GRANT_FIGURES.map((name) => grant[name]))]))
}

/** @param asked number of asks @throws GrantFormatError */
export function decodeGrantAnswer(bytes: Uint8Array, asked: number): GrantAnswer {
  const [day, rows] = unpackPair(bytes)
  if (!isFigure(day) || rows.length !== asked) throw malformed()
  return { day, grants: rows.map((row) => readFigures(row, GRANT_FIGURES)) }
}

const ASK_FIGURES = [
  'rate',
  'burst',
  'dailyQuota',
  'demand',
  'wanted',
  'overdrawn',
  'quotaWanted',
  'quotaOverdrawn',
] as const satisfies readonly (keyof GrantAsk)[]

const GRANT_FIGURES = [
  'units',
  'covered',
  'level',
  'quotaUnits',
  'quotaCovered',
  'quotaLeft',
] as const satisfies readonly (keyof Grant)[]

function unpackPair(bytes: Uint8Array): readonly [unknown, readonly unknown[]] {
  let value: unknown
  try {
    value = bytes.length > GRANT_BYTES ? null : packr.unpack(bytes)
  } catch {
    throw malformed()
  }
  if (!Array.isArray(value) || value.length !== 2) throw malformed()
  const [first, rows] = value as readonly unknown[]
  if (!Array.isArray(rows) || rows.length > MOST_KEYS) throw malformed()
  return [first, rows]
}

function readAsk(row: unknown): GrantAsk {
  if (!Array.isArray(row)) throw malformed()
  const [id, ...figures] = row as readonly unknown[]
  if (typeof id !== 'string' || id === '' || id.length > LONGEST_ID) throw malformed()
  return { id, ...readFigures(figures, ASK_FIGURES) }
}

function readFigures<Name extends string>(row: unknown, names: readonly Name[]): Record<Name, number> {
  if (!Array.isArray(row) || row.length !== names.length || !row.every(isFigure)) throw malformed()
  return Object.fromEntries(names.map((name, place) => [name, row[place]])) as Record<Name, number>
}

/** Finite, not negative, and small enough that sums of them are exact to a unit. */
function isFigure(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER
}

function malformed(): GrantFormatError {
  return new GrantFormatError('Malformed', 'a message about cost units does not parse')
}
