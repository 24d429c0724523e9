import { rlpItemLength } from '../../chain/codec/rlpReader.ts'
import { P2pError } from '../wire/p2pError.ts'

/** Elements of a block: of one with some 20,000 transactions. */
export const MAX_BLOCK_ELEMENTS = 262_144

/** Elements of a header, a transaction or an extension: far more than any of them has. */
export const MAX_RECORD_ELEMENTS = 64

const FIRST_LIST = 0xc0
const LAST_SHORT_LIST = 0xf7

/**
 * Rejects bytes whose lists have more elements than a limit, at any depth, without decoding them: an element
 * may take one byte here and a hundred once it is decoded. Malformed bytes are counted up to where they break
 * and left to the decoder.
 * @returns the bytes
 * @throws P2pError MESSAGE
 */
export function boundElements(bytes: Buffer, limit: number): Buffer {
  let count = 0
  for (let at = 0; at < bytes.length; at = elementEnd(bytes, at)) {
    count += 1
    if (count > limit) throw new P2pError('MESSAGE', `more than ${limit} elements`)
  }
  return bytes
}

/** Start of the next element: of a list, its first one. The end of the bytes where they break. */
function elementEnd(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0
  if (first >= FIRST_LIST) return at + 1 + Math.max(0, first - LAST_SHORT_LIST)
  if (first < 0x80) return at + 1
  try {
    return at + rlpItemLength(bytes, at)
  } catch {
    return bytes.length
  }
}
