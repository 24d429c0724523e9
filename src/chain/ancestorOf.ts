import { sha256d } from '../native/crypto.ts'
import type { Ancestor } from './ancestry.ts'
import type { Block } from './codec/block.ts'

const BITCOIN_HEADER_LENGTH = 80

/** The part of a block that validation rules read once other blocks stand on it. */
export function ancestorOf(block: Block): Ancestor {
  const { fields } = block.header
  const bitcoinHeader = fields.bitcoinMergedMiningHeader
  return {
    hashHex: block.hashHex,
    parentHashHex: fields.parentHash.toString('hex'),
    number: block.number,
    uncleCount: fields.uncleCount,
    uncleHashes: block.uncles.map((uncle) => uncle.hashHex),
    bitcoinHashByte:
      bitcoinHeader.length < BITCOIN_HEADER_LENGTH
        ? null
        : (sha256d(bitcoinHeader.subarray(0, BITCOIN_HEADER_LENGTH))[0] ?? null),
  }
}
