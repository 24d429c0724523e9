import { AccessError } from './errors.ts'
import { decodeKey, encodeKey, type KeyRecord, LIMIT_NAMES } from './keyRecord.ts'

/** Version of a record of a key, by which one of two holds (fleet.md §6). */
export interface KeyVersion {
  /** Raised with each change. */
  readonly counter: number
  /** Milliseconds since 1970, by the clock of who changed it. */
  readonly time: number
  /** Id of the member at which it was changed, 16 hex digits. */
  readonly member: string
}

/** A key of a fleet. What was removed is kept, disabled, so that no older record brings it back. */
export interface FleetKey {
  readonly key: KeyRecord
  readonly version: KeyVersion
  readonly isRemoved: boolean
}

/** The version of records without one: those of the fleets before. */
const NO_VERSION: KeyVersion = { counter: 0, time: 0, member: '' }

/** The form in which keys of a fleet are stored and sent. */
export function encodeFleetKey({ key, version, isRemoved }: FleetKey): Buffer {
  const { counter, time, member } = version
  const plain = JSON.parse(encodeKey(key).toString('utf8')) as object
  return Buffer.from(JSON.stringify({ ...plain, version: [counter, time, member], isRemoved }))
}

/** A key out of that form. @throws AccessError `ACCESS_DAMAGED` */
export function decodeFleetKey(id: string, bytes: Buffer): FleetKey {
  const key = decodeKey(id, bytes)
  const { version = null, isRemoved = false } = JSON.parse(bytes.toString('utf8')) as Record<string, unknown>
  const read = version === null ? NO_VERSION : readVersion(version)
  if (read === null) throw new AccessError('ACCESS_DAMAGED', `the version of the key ${id} is unreadable`)
  const disabled = key.disabled || isRemoved === true
  return {
    key: { ...key, disabled, fromFile: false, fromFleet: true },
    version: read,
    isRemoved: isRemoved === true,
  }
}

/** A change of a key of a fleet: the record that follows another one, null for none. @throws AccessError */
export type FleetKeyChange = (before: FleetKey | null) => FleetKey

/** Adds a key. @param member at which that is done. The change throws AccessError `ACCESS_TAKEN` */
export function createsKey(key: KeyRecord, member: string): FleetKeyChange {
  return (before) => {
    if (before === null || before.isRemoved) return raise(before, key, member)
    throw new AccessError('ACCESS_TAKEN', `there is a key ${key.id} already`)
  }
}

/**
 * Changes a key.
 * @param change null removes it
 * @param member at which that is done. The change throws AccessError `ACCESS_UNKNOWN_KEY`, and what the given one throws
 */
export function changesKey(
  id: string,
  change: ((key: KeyRecord) => KeyRecord) | null,
  member: string,
): FleetKeyChange {
  return (before) => {
    if (before === null || before.isRemoved)
      throw new AccessError('ACCESS_UNKNOWN_KEY', `there is no key ${id} in the fleet: see \`key list\``)
    return change === null
      ? { ...raise(before, { ...before.key, disabled: true }, member), isRemoved: true }
      : raise(before, change(before.key), member)
  }
}

function raise(before: FleetKey | null, key: KeyRecord, member: string): FleetKey {
  const counter = (before?.version.counter ?? 0) + 1
  return {
    key: { ...key, fromFile: false, fromFleet: true },
    version: { counter, time: Date.now(), member },
    isRemoved: false,
  }
}

/**
 * Whether a record holds over another one of the same key: the higher counter, then the later time; of equal ones the one
 * that permits less, then the smaller id of the member. Every order in which records are received ends at the same one.
 */
export function holdsOver(one: FleetKey, other: FleetKey): boolean {
  const [first, second] = [rankOf(one), rankOf(other)]
  for (const [index, rank] of first.entries()) {
    const beside = second[index] ?? 0
    if (rank !== beside) return rank > beside
  }
  if (one.version.member !== other.version.member) return one.version.member < other.version.member
  // Only a record that was written over without a new version.
  return Buffer.compare(encodeFleetKey(one), encodeFleetKey(other)) < 0
}

/** The values that decide between records, each the more the better. */
function rankOf({ key, version, isRemoved }: FleetKey): readonly number[] {
  const { counter, time } = version
  const { disabled, modules, methods, origins, previous, limits } = key
  const opened = modules === null && methods === null ? null : (modules?.size ?? 0) + (methods?.size ?? 0)
  const most = (figure: number | null | undefined) => -(figure ?? Number.POSITIVE_INFINITY)
  return [
    counter,
    time,
    isRemoved ? 1 : 0,
    disabled ? 1 : 0,
    most(opened),
    most(origins?.size),
    -(previous?.until ?? 0),
    ...LIMIT_NAMES.map((name) => most(limits[name] === 0 ? null : limits[name])),
  ]
}

function readVersion(value: unknown): KeyVersion | null {
  if (!Array.isArray(value) || value.length !== 3) return null
  const [counter, time, member] = value as readonly unknown[]
  if (!Number.isSafeInteger(counter) || (counter as number) < 0) return null
  if (!Number.isSafeInteger(time) || typeof member !== 'string' || !/^([0-9a-f]{16})?$/.test(member))
    return null
  return { counter: counter as number, time: time as number, member }
}
