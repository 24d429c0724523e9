import { RlpError, rlpItemLength } from '../codec/rlpReader.ts'
import { type BlockSource, BlockSourceError } from './blockSource.ts'

/** Most bytes that the length prefix of an element takes. */
const MAX_PREFIX_BYTES = 9

/**
 * Blocks of a file of concatenated RLP blocks.
 * @throws BlockSourceError when the file ends inside a block or has other content
 */
export async function* readRlpFile(chunks: AsyncIterable<Buffer>): BlockSource {
  let pending: Buffer = Buffer.alloc(0)
  let position = 0
  let offset = 0
  for await (const chunk of chunks) {
    pending = Buffer.concat([pending, chunk])
    for (
      let length = itemLength(pending, position);
      length <= pending.length;
      length = itemLength(pending, position)
    ) {
      position += 1
      offset += length
      yield { rlp: pending.subarray(0, length), position, offset }
      pending = pending.subarray(length)
    }
  }
  if (pending.length > 0)
    throw new BlockSourceError(position + 1, `the file ends inside block ${position + 1}`)
}

/** Length of the first element, or infinity while unknown. */
function itemLength(bytes: Buffer, position: number): number {
  const first = bytes[0]
  if (first === undefined) return Number.POSITIVE_INFINITY
  if (first < 0xc0) throw new BlockSourceError(position + 1, `what follows block ${position} is no RLP list`)
  if (first > 0xf7 && bytes.length < MAX_PREFIX_BYTES && bytes.length < 1 + first - 0xf7)
    return Number.POSITIVE_INFINITY
  try {
    return rlpItemLength(bytes, 0)
  } catch (error) {
    if (!(error instanceof RlpError)) throw error
    throw new BlockSourceError(position + 1, `block ${position + 1}: ${error.message}`, { cause: error })
  }
}
