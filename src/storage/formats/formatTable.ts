import { decodeFormat, encodeFormat, type StoreFormat } from './storeFormat.ts'

const FORMAT_KEY = Buffer.from('format')
const CONVERSION_KEY = Buffer.from('conversion')

/** The table of an LMDB store in which its format stands, inside a transaction. */
export interface FormatTable {
  get(key: Buffer): Buffer | undefined
  put(key: Buffer, value: Buffer): void
  remove(key: Buffer): void
}

/** Position at which a conversion goes on. */
export interface ConversionCursor {
  /** The format that it comes from. */
  readonly from: number
  /** Rows that are converted, and rows in all. */
  readonly done: number
  readonly rows: number
  /** Key of the last row that is converted. */
  readonly after: Buffer
}

/** Format of a store with the conversion that has begun and not ended. */
export type FoundFormat = StoreFormat & { readonly conversion: ConversionCursor | null }

/** The record of the format as it stands there: the number, and the version of the program that wrote last. */
export function readFormatRecord(table: Pick<FormatTable, 'get'>): Buffer | undefined {
  return table.get(FORMAT_KEY)
}

/** Format of a store; null where none is recorded. */
export function readFormat(table: Pick<FormatTable, 'get'>): FoundFormat | null {
  const record = table.get(FORMAT_KEY)
  if (record === undefined) return null
  const cursor = table.get(CONVERSION_KEY)
  const conversion = cursor === undefined ? null : decodeCursor(cursor)
  return { ...decodeFormat(record, conversion !== null), conversion }
}

/** Records format, writer, and where a conversion goes on: null when none has to. */
export function writeFormat(
  table: FormatTable,
  format: number,
  conversion: ConversionCursor | null = null,
): void {
  table.put(FORMAT_KEY, encodeFormat(format))
  if (conversion === null) table.remove(CONVERSION_KEY)
  else table.put(CONVERSION_KEY, encodeCursor(conversion))
}

/** Records that this version of the program writes the store; nothing where it is recorded already. */
export function recordProgram(table: FormatTable, format: number): void {
  const record = encodeFormat(format)
  if (table.get(FORMAT_KEY)?.equals(record) !== true) table.put(FORMAT_KEY, record)
}

function encodeCursor({ after, ...plain }: ConversionCursor): Buffer {
  return Buffer.from(JSON.stringify({ ...plain, after: after.toString('hex') }))
}

function decodeCursor(bytes: Buffer): ConversionCursor {
  const { from, done, rows, after } = JSON.parse(bytes.toString('utf8')) as {
    from: number
    done: number
    rows: number
    after: string
  }
  return { from, done, rows, after: Buffer.from(after, 'hex') }
}
