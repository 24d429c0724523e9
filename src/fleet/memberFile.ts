import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { makePrivateFolder } from '../storage/fileModes.ts'
import { FleetError } from './errors.ts'
import type { MemberId } from './interface.ts'
import { MOST_MEMBERS } from './member/headEntry.ts'
import { MEMBER_ID } from './nats/names.ts'

/** Name of the file in the data directory. */
export const MEMBER_FILE = 'fleet.json'

const FORMAT = 1
const MODE = 0o600
const MEMBER_ID_BYTES = 8

/** Which log a member has applied, and how far (fleet.md §4). */
export interface LogPosition {
  /** When the stream was created, as NATS says it: another time is another log. */
  readonly created: string
  /** Of the last entry that was applied. */
  readonly sequence: number
  /** When the stream stored that entry, milliseconds since 1970; null where that is not known. */
  readonly time: number | null
}

/** What a member keeps of itself beside its stores (fleet.md §1). */
export interface MemberState {
  readonly id: MemberId
  /** Name of the fleet that the rest is about. */
  readonly fleet: string
  /** Null until it has one. */
  readonly number: number | null
  /** Null before it has applied anything of the fleet. */
  readonly log: LogPosition | null
  /** Whom the last head named that it applied: they may have gone on without it. */
  readonly named: readonly MemberId[]
}

/**
 * The file of a member. Without one it gives a new id, and one of another fleet keeps its id only.
 * @throws FleetError `Malformed` for a file that does not parse: an id must not change by accident
 */
export function readMemberFile(dataDir: string, fleet: string): MemberState {
  const path = join(dataDir, MEMBER_FILE)
  const text = readText(path)
  if (text === null) {
    return newState(randomBytes(MEMBER_ID_BYTES).toString('hex'), fleet)
  }
  const state = parseState(text)
  if (state === null) {
    const advice = 'restore it, or remove it to join the fleet as a new member'
    throw new FleetError('Malformed', `${path} is not the file of a member of a fleet: ${advice}`)
  }
  return state.fleet === fleet ? state : newState(state.id, fleet)
}

/** The file of a member if there is one; for tools that must not make an id. @throws as {@link readMemberFile} */
export function findMemberFile(dataDir: string, fleet: string): MemberState | null {
  return readText(join(dataDir, MEMBER_FILE)) === null ? null : readMemberFile(dataDir, fleet)
}

/** Writes the file durably: after a crash there is the old one or the new one. */
export function writeMemberFile(dataDir: string, state: MemberState): void {
  makePrivateFolder(dataDir)
  const path = join(dataDir, MEMBER_FILE)
  const temporary = `${path}.tmp`
  const file = openSync(temporary, 'w', MODE)
  try {
    writeSync(file, `${JSON.stringify({ format: FORMAT, ...state })}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(temporary, path)
  const folder = openSync(dataDir, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

function newState(id: MemberId, fleet: string): MemberState {
  return { id, fleet, number: null, log: null, named: [] }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

function parseState(text: string): MemberState | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  const { format, id, fleet, number, log, named = [] } = (value ?? {}) as Fields
  if (format !== FORMAT || !isMemberId(id) || typeof fleet !== 'string') return null
  if (number !== null && !isInteger(number)) return null
  if (!Array.isArray(named) || named.length > MOST_MEMBERS || !named.every(isMemberId)) return null
  if (log === null) return { id, fleet, number, log, named }
  const { created, sequence, time = null } = (log ?? {}) as Fields
  if (typeof created !== 'string' || !isInteger(sequence)) return null
  if (time !== null && !isInteger(time)) return null
  return { id, fleet, number, log: { created, sequence, time }, named }
}

type Fields = Readonly<Record<string, unknown>>

function isMemberId(value: unknown): value is MemberId {
  return typeof value === 'string' && MEMBER_ID.test(value)
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value)
}
