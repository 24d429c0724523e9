import { fromHex } from '../../util/bytes.ts'
import { type BlockSource, BlockSourceError } from './blockSource.ts'
import { readLines } from './lines.ts'

const FIELDS = 4

/**
 * Blocks of an export of the reference node: lines `height,hash,total difficulty,block`, all but the height
 * in hex. Lines with fewer fields are skipped, as by the reference; hash and difficulty are computed here
 * anyway.
 * @throws BlockSourceError for a block that is no hex
 */
export async function* readReferenceExport(chunks: AsyncIterable<Buffer>): BlockSource {
  for await (const line of readLines(chunks)) {
    const fields = line.text.split(',')
    if (fields.length < FIELDS) continue
    try {
      yield { rlp: fromHex(fields[FIELDS - 1] ?? ''), position: line.number, offset: line.offset }
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      throw new BlockSourceError(line.number, `line ${line.number} is no exported block`, { cause: error })
    }
  }
}
