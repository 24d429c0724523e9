import type { TableWriter } from '../../src/storage/chainEnvironment.ts'
import { CHAIN_FORMATS } from '../../src/storage/formats/chainFormat.ts'
import type { ConversionStep } from '../../src/storage/formats/conversion.ts'
import type { SupportedFormats } from '../../src/storage/formats/storeFormat.ts'

const BATCH = 8
const FIRST = Buffer.alloc(1)
const END = Buffer.alloc(33, 0xff)

/** Formats of a build that is one ahead of this one. */
export const DOUBLING_FORMATS: SupportedFormats = {
  ...CHAIN_FORMATS,
  current: CHAIN_FORMATS.current + 1,
}

/**
 * A conversion of many batches: every list of senders is written twice, one behind the other. A row that is converted
 * twice, or not at all, shows.
 */
export function doubling(): ConversionStep<TableWriter> {
  return {
    from: CHAIN_FORMATS.current,
    to: CHAIN_FORMATS.current + 1,
    summary: 'senders twice',
    spaceBytes: (fileBytes) => fileBytes,
    rows: (writer) => [...writer.range('senders', FIRST, END)].length,
    convert: (writer, after) => {
      const start = after === null ? FIRST : Buffer.concat([after, FIRST])
      const rows = [...writer.range('senders', start, END)].slice(0, BATCH)
      for (const { key, value } of rows) writer.put('senders', key, Buffer.concat([value, value]))
      return { rows: rows.length, last: rows.length < BATCH ? null : (rows.at(-1)?.key ?? null) }
    },
  }
}
