import { programVersion } from '../../util/programVersion.ts'
import { StorageError } from '../errors.ts'

/** Format of a store or file, as it says itself. */
export interface StoreFormat {
  /** From 1 on; raised by every change that older code would misread. */
  readonly format: number
  /** Version of the program that wrote it last; null where that was older than this record. */
  readonly program: string | null
  /** True when a conversion to this format has begun and not ended. */
  readonly converting: boolean
}

/** The formats of a store or file that this build supports. */
export interface SupportedFormats {
  /** The kind of thing, with its article, for messages. */
  readonly name: string
  /** The format that is written, and the only one that is read. */
  readonly current: number
  /** The oldest that can be converted. */
  readonly oldest: number
}

/** The record of a format: the number in one byte, so that every build can read it, then the program's version. */
export function encodeFormat(format: number): Buffer {
  return Buffer.concat([Buffer.from([format]), Buffer.from(programVersion())])
}

/** The other way round. Format 1 to 3 of the stores had the number alone. */
export function decodeFormat(record: Buffer, converting: boolean): StoreFormat {
  const program = record.toString('utf8', 1)
  return { format: record[0] ?? 0, program: program === '' ? null : program, converting }
}

/**
 * Refuses a format that this build can neither read nor convert.
 * @throws StorageError `STORAGE_NEWER`, `STORAGE_FORMAT`
 */
export function assertConvertible({ name, current, oldest }: SupportedFormats, found: StoreFormat): void {
  const { format } = found
  if (format > current) {
    throw new StorageError(
      'STORAGE_NEWER',
      `${name} has format ${format}${writtenBy(found)}; this build (${programVersion()}) reads up to ${current}`,
    )
  }
  if (format < oldest) {
    throw new StorageError(
      'STORAGE_FORMAT',
      `${name} has format ${format}${writtenBy(found)}; this build (${programVersion()}) reads ${current} and converts from ${oldest} on`,
    )
  }
}

/**
 * Refuses a format that has to be converted first, and those of {@link assertConvertible}.
 * @throws StorageError `STORAGE_OLDER`, `STORAGE_NEWER`, `STORAGE_FORMAT`
 */
export function assertPresent(supported: SupportedFormats, found: StoreFormat): void {
  assertConvertible(supported, found)
  if (isPresent(supported, found)) return
  const state = found.converting
    ? `is half converted to format ${found.format}`
    : `has format ${found.format}${writtenBy(found)}`
  throw new StorageError(
    'STORAGE_OLDER',
    `${supported.name} ${state}; this build (${programVersion()}) reads ${supported.current}`,
  )
}

/** True when it can be used without a conversion. */
export function isPresent({ current }: SupportedFormats, { format, converting }: StoreFormat): boolean {
  return format === current && !converting
}

function writtenBy({ program }: StoreFormat): string {
  return program === null ? '' : `, written by Rhizome ${program}`
}
