import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { programVersion } from '../util/programVersion.ts'
import { StorageError } from './errors.ts'
import { assertConvertible, type StoreFormat, type SupportedFormats } from './formats/storeFormat.ts'
import { isDamaged, joinRecords, splitRecords } from './recordLogCodec.ts'

/** What a file of records holds, and the formats that this build knows of it. */
export interface RecordLogKind extends SupportedFormats {
  /** Names the kind in the file. */
  readonly kind: string
}

/** A change of the format of a file of records: all of them at once, because such files are small. */
export interface RecordLogStep {
  readonly from: number
  readonly to: number
  /** What changes, for the log. */
  readonly summary: string
  readonly convert: (records: readonly Buffer[]) => readonly Buffer[]
}

/** The format of a file of records with the records behind it. */
export interface FormattedRecords {
  readonly found: StoreFormat
  readonly records: readonly Buffer[]
}

interface Header {
  readonly file: string
  readonly format: number
  readonly program: string
}

const OPENING_BRACE = 0x7b
const MODE = 0o600

/** The first record of a file: JSON, so that every build can read it. */
export function headerRecord({ kind, current }: RecordLogKind): Buffer {
  const header: Header = { file: kind, format: current, program: programVersion() }
  return Buffer.from(JSON.stringify(header))
}

/**
 * Tells the header from the records behind it; null where there is neither. A file of format 1 has no header; its
 * records never begin with a brace.
 * @throws StorageError `STORAGE_JOURNAL` for the header of another kind of file
 */
export function readHeader({ kind }: RecordLogKind, records: readonly Buffer[]): FormattedRecords | null {
  const [first, ...rest] = records
  if (first === undefined) return null
  if (first[0] !== OPENING_BRACE) return { found: { format: 1, program: null, converting: false }, records }
  const { file, format, program } = JSON.parse(first.toString('utf8')) as Partial<Header>
  if (file !== kind || typeof format !== 'number' || typeof program !== 'string') {
    throw new StorageError(
      'STORAGE_JOURNAL',
      `a file is no ${kind}: it begins with ${first.toString('utf8')}`,
    )
  }
  return { found: { format, program, converting: false }, records: rest }
}

/**
 * The format of a file of records with what it holds; null where there is no file, or an empty one. Nothing is
 * written.
 * @throws StorageError `STORAGE_JOURNAL` when something in it is not what was written
 */
export function readRecordLogFormat(path: string, kind: RecordLogKind): FormattedRecords | null {
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  const { records, end } = splitRecords(bytes)
  if (isDamaged(bytes, end)) throw damagedRecords(path, end)
  return readHeader(kind, records)
}

/** What says where a file of records is damaged. */
export function damagedRecords(path: string, at: number): StorageError {
  return new StorageError('STORAGE_JOURNAL', `${path} is damaged at byte ${at}`)
}

/**
 * Brings a file of records to the present format: a new file takes its place, or the old one stays as it is.
 * @throws StorageError
 */
export function convertRecordLog(path: string, kind: RecordLogKind, steps: readonly RecordLogStep[]): void {
  const log = readRecordLogFormat(path, kind)
  if (log === null) return
  assertConvertible(kind, log.found)
  const due = steps.filter(({ from }) => from >= log.found.format)
  const records = due.reduce<readonly Buffer[]>((all, step) => step.convert(all), log.records)
  const temporary = `${path}.new`
  const file = openSync(temporary, 'w', MODE)
  try {
    const bytes = joinRecords([headerRecord(kind), ...records])
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(temporary, path)
  const folder = openSync(dirname(path), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
