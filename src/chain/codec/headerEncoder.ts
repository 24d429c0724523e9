import type { BlockHeader } from './header.ts'
import {
  encodeByte,
  encodeBytes,
  encodeEdges,
  encodeList,
  encodeSigned,
  encodeUnsigned,
} from './rlpWriter.ts'

/** Which parts an encoding holds (consensus.md §2.4). */
export interface HeaderEncoding {
  /** Extension data instead of bloom, version, edges and base event. */
  readonly compressed: boolean
  readonly bitcoinHeader: boolean
  readonly proofAndCoinbase: boolean
}

/** RLP of a header (consensus.md §2.1). */
export function encodeHeader(header: BlockHeader, encoding: HeaderEncoding): Buffer {
  const { fields } = header
  const compressed = encoding.compressed && fields.version !== 0
  const elements = [
    encodeBytes(fields.parentHash),
    encodeBytes(fields.unclesHash),
    encodeBytes(fields.coinbase),
    encodeBytes(fields.stateRoot),
    encodeBytes(fields.txTrieRoot),
    encodeBytes(fields.receiptTrieRoot),
    encodeBytes(compressed ? header.extensionData : fields.logsBloom),
    encodeBytes(fields.difficultyBytes),
    encodeUnsigned(fields.number),
    encodeBytes(fields.gasLimitBytes),
    encodeUnsigned(fields.gasUsed),
    encodeUnsigned(fields.timestamp),
    encodeBytes(fields.extraData),
    encodeUnsigned(fields.paidFees),
    encodeSigned(fields.minimumGasPrice),
    encodeUnsigned(fields.uncleCount),
  ]
  if (fields.ummRoot !== null) elements.push(encodeBytes(fields.ummRoot))
  if (!compressed) {
    if (fields.version !== 0) elements.push(encodeByte(fields.version))
    if (fields.edges !== null) elements.push(encodeEdges(fields.edges))
    if (fields.baseEvent !== null) elements.push(encodeBytes(fields.baseEvent))
  }
  if (encoding.bitcoinHeader && header.hasMiningFields) {
    elements.push(encodeBytes(fields.bitcoinMergedMiningHeader))
    if (encoding.proofAndCoinbase) {
      elements.push(
        encodeBytes(fields.bitcoinMergedMiningMerkleProof),
        encodeBytes(fields.bitcoinMergedMiningCoinbaseTransaction),
      )
    }
  }
  return encodeList(elements)
}
