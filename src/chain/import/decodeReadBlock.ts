import type { NetworkSpec } from '../../config/networkSpec.ts'
import { toHex } from '../../util/bytes.ts'
import { type Block, parseBlockUnchecked } from '../codec/block.ts'
import { headerFromItems } from '../codec/headerDecoder.ts'
import { itemAt, parseRLPList } from '../codec/rlpReader.ts'
import { InvalidBlockError } from '../validation/errors.ts'
import type { ReadBlock } from './messages.ts'
import { unpackSenders } from './senders.ts'

/** The block, or the error for one that the network cannot decode. */
export function decodeReadBlock(spec: NetworkSpec, read: ReadBlock): Block | InvalidBlockError {
  const { rlp, senders } = read
  try {
    const block = parseBlockUnchecked(spec, rlp)
    if (senders !== null) unpackSenders(block, senders)
    return block
  } catch (error) {
    const metadata = error as { expected?: string; found?: string; message?: string }
    return new InvalidBlockError(
      {
        rule: 'encoding',
        expected: metadata.expected ?? 'a block in RLP',
        found: metadata.found ?? metadata.message ?? 'something else',
        ...identify(spec, rlp),
      },
      { cause: error },
    )
  }
}

/** Height and hash of an undecodable block, when at least its header can be read. */
function identify(spec: NetworkSpec, rlp: Buffer): { number: number; hash: string } {
  try {
    const header = headerFromItems(spec, itemAt(parseRLPList(rlp), 0).items)
    return { number: header.number, hash: toHex(header.hash) }
  } catch {
    return { number: -1, hash: '0x' }
  }
}
