import { fromHex } from '../../util/bytes.ts'
import { type BlockSource, BlockSourceError } from './blockSource.ts'
import { type Line, readLines } from './lines.ts'

/**
 * Blocks of a recording: one JSON object per line, the block in `rlp`. Lines without it (configuration,
 * states) and blocks that were built but never connected (`inStore: false`) are left out; siblings of the
 * main chain (`main: false`) are blocks like others.
 * @throws BlockSourceError for a line that is no JSON object or whose `rlp` is no hex
 */
export async function* readJsonLines(chunks: AsyncIterable<Buffer>): BlockSource {
  for await (const line of readLines(chunks)) {
    const rlp = rlpOf(line)
    if (rlp !== null) yield { rlp, position: line.number, offset: line.offset }
  }
}

function rlpOf(line: Line): Buffer | null {
  try {
    const object: unknown = JSON.parse(line.text)
    if (typeof object !== 'object' || object === null) throw new TypeError('an object expected')
    const { rlp, inStore } = object as { rlp?: unknown; inStore?: unknown }
    return typeof rlp === 'string' && inStore !== false ? fromHex(rlp) : null
  } catch (error) {
    throw new BlockSourceError(line.number, `line ${line.number} is no recorded block`, { cause: error })
  }
}
