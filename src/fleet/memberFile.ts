import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeDurably } from '../storage/durableFile.ts'
import { makePrivateFolder } from '../storage/fileModes.ts'
import { FleetError } from './errors.ts'
import { MEMBER_ID, type MemberId } from './member.ts'

/** Name of the file in the data directory. */
export const MEMBER_FILE = 'fleet.json'

const MEMBER_ID_BYTES = 8

/**
 * The id of the member of a data directory, made and written durably where there is none. Files of the fleets before
 * keep theirs.
 * @throws FleetError `Malformed` for a file that does not parse: an id must not change by accident
 */
export function openMemberId(dataDir: string): MemberId {
  const path = join(dataDir, MEMBER_FILE)
  const known = readId(path)
  if (known !== null) return known
  const id = randomBytes(MEMBER_ID_BYTES).toString('hex')
  makePrivateFolder(dataDir)
  writeDurably(path, `${JSON.stringify({ id })}\n`)
  return id
}

function readId(path: string): MemberId | null {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  try {
    const { id } = JSON.parse(text) as { id?: unknown }
    if (typeof id === 'string' && MEMBER_ID.test(id)) return id
  } catch {
    // The same as one without an id.
  }
  const advice = 'restore it, or remove it to join the fleet as a new member'
  throw new FleetError('Malformed', `${path} is not the file of a member of a fleet: ${advice}`)
}
