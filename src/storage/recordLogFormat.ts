import { readFileSync, statSync } from 'node:fs'
import { programVersion } from '../util/programVersion.ts'
import { writeDurably } from './durableFile.ts'
import { StorageError } from './errors.ts'
import type { DataDirStore } from './formats/dataDirStore.ts'
import { assertConvertible, type StoreFormat, type SupportedFormats } from './formats/storeFormat.ts'
import { isDamaged, joinRecords, splitRecords } from './recordLogCodec.ts'

/** Kind of a file of records, and the formats of it that this build supports. */
export interface RecordLogKind extends SupportedFormats {
  /** Name of the kind in the file. */
  readonly kind: string
}

/**
 * A conversion of a file of records. All of its records are converted at once, because such files are small.
 */
export interface RecordLogStep {
  readonly from: number
  readonly to: number
  /** Description of the change, for the log. */
  readonly summary: string
  readonly convert: (records: readonly Buffer[]) => readonly Buffer[]
}

/** The format of a file of records, and the records after it. */
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

/** The first record of a file: JSON, so that every build can read it. */
export function headerRecord({ kind, current }: RecordLogKind): Buffer {
  const header: Header = { file: kind, format: current, program: programVersion() }
  return Buffer.from(JSON.stringify(header))
}

/**
 * Splits the header from the records after it; null where there is neither. A file of format 1 has no header;
 * its records never begin with a brace.
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
 * The format and the records of a file; null where there is no file, or an empty one. Nothing is written.
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

/** Message for a damaged file of records. */
export function damagedRecords(path: string, at: number): StorageError {
  return new StorageError('STORAGE_JOURNAL', `${path} is damaged at byte ${at}`)
}

/**
 * Converts a file of records to the current format, atomically.
 * @throws StorageError
 */
export function convertRecordLog(path: string, kind: RecordLogKind, steps: readonly RecordLogStep[]): void {
  const log = readRecordLogFormat(path, kind)
  if (log === null) return
  assertConvertible(kind, log.found)
  const due = steps.filter(({ from }) => from >= log.found.format)
  const records = due.reduce<readonly Buffer[]>((all, step) => step.convert(all), log.records)
  writeDurably(path, joinRecords([headerRecord(kind), ...records]))
}

/** A file of records of a data directory, as it is converted. */
export function recordLogStore(
  path: string,
  kind: RecordLogKind,
  steps: readonly RecordLogStep[],
): DataDirStore {
  return {
    supported: kind,
    find: async () => {
      const log = readRecordLogFormat(path, kind)
      return log === null ? null : { format: log.found, spaceBytes: 2 * statSync(path).size }
    },
    convert: async ({ onProgress }) => {
      const from = readRecordLogFormat(path, kind)?.found.format ?? 1
      convertRecordLog(path, kind, steps)
      onProgress?.({ from, to: kind.current, done: 1, rows: 1 })
    },
  }
}
