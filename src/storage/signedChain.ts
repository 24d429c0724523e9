import type { TableReader, TableWriter } from './chainEnvironment.ts'
import { CHAIN_FORMATS, chainFormatTable } from './formats/chainFormat.ts'
import { readFormatRecord, recordProgram } from './formats/formatTable.ts'

const SIGNED_KEY = Buffer.from('signed')

/**
 * Whether no connected block holds a transaction of an impersonated account, as far as is known. The record is a copy of
 * that of the format: it counts only while the build that wrote it, or one after it that knows of it, writes the store.
 * A release that does not know of it has another version, and so another record of the format. A development build of
 * the same version from before this record would leave it standing.
 */
export function isKnownSigned(reader: TableReader): boolean {
  const format = readFormatRecord({ get: (key) => reader.get('metadata', key) })
  return format !== undefined && reader.get('metadata', SIGNED_KEY)?.equals(format) === true
}

/** Records that no connected block holds such a transaction. The format of the store is recorded already. */
export function recordSigned(writer: TableWriter): void {
  const format = readFormatRecord(chainFormatTable(writer))
  if (format !== undefined) writer.put('metadata', SIGNED_KEY, format)
}

/** Takes that back; in the transaction that connects a block with one. */
export function forgetSigned(writer: TableWriter): void {
  if (writer.get('metadata', SIGNED_KEY) !== undefined) writer.remove('metadata', SIGNED_KEY)
}

/** Records that this version of the program writes the store. */
export function recordWriter(writer: TableWriter): void {
  const isSigned = isKnownSigned(writer)
  recordProgram(chainFormatTable(writer), CHAIN_FORMATS.current)
  if (isSigned) recordSigned(writer)
  else forgetSigned(writer)
}
