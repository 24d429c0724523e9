import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { makePrivateFolder } from '../storage/fileModes.ts'
import { FleetError } from './errors.ts'
import type { MemberId } from './interface.ts'
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
}

/** What a member keeps of itself beside its stores (fleet.md §1). */
export interface MemberState {
  readonly id: MemberId
  /** Name of the fleet that the rest is about. */
  readonly fleet: string
  /** Null until it has one. */
  readonly number: number | null
  readonly log: LogPosition | null
}

/**
 * The file of a member. Without one it gives a new id, and one of another fleet keeps its id only.
 * @throws FleetError `Malformed` for a file that does not parse: an id must not change by accident
 */
export function readMemberFile(dataDir: string, fleet: string): MemberState {
  const path = join(dataDir, MEMBER_FILE)
  const text = readText(path)
  if (text === null) {
    return { id: randomBytes(MEMBER_ID_BYTES).toString('hex'), fleet, number: null, log: null }
  }
  const state = parseState(text)
  if (state === null) {
    const advice = 'restore it, or remove it to join the fleet as a new member'
    throw new FleetError('Malformed', `${path} is not the file of a member of a fleet: ${advice}`)
  }
  return state.fleet === fleet ? state : { id: state.id, fleet, number: null, log: null }
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
  const { format, id, fleet, number, log } = (value ?? {}) as Readonly<Record<string, unknown>>
  if (format !== FORMAT || typeof id !== 'string' || !MEMBER_ID.test(id) || typeof fleet !== 'string')
    return null
  if (number !== null && !Number.isSafeInteger(number)) return null
  if (log === null) return { id, fleet, number: number as number | null, log }
  const { created, sequence } = (log ?? {}) as Readonly<Record<string, unknown>>
  if (typeof created !== 'string' || !Number.isSafeInteger(sequence)) return null
  return { id, fleet, number: number as number | null, log: { created, sequence: sequence as number } }
}
