import type { HeaderFields } from './headerFields.ts'
import { edgesToBytes, encodeStrings, type RlpString, signedAmount } from './rlpWriter.ts'

/** Parts of an encoding (consensus.md §2.4). */
export interface HeaderEncoding {
  /** Extension data instead of bloom, version, edges and base event. */
  readonly compressed: boolean
  readonly bitcoinHeader: boolean
  readonly proofAndCoinbase: boolean
}

/** Of a header, what is encoded. */
export interface EncodableHeader {
  readonly fields: HeaderFields
  /** Element 6 of the compressed form; null of version 0. */
  readonly extensionData: Buffer | null
  /** True when any of the three Bitcoin fields is there; only then they are written. */
  readonly hasMiningFields: boolean
}

/** RLP of a header (consensus.md §2.1). */
export function encodeHeader(header: EncodableHeader, encoding: HeaderEncoding): Buffer {
  const { fields } = header
  const compressed = encoding.compressed && fields.version !== 0
  const strings: RlpString[] = [
    fields.parentHash,
    fields.unclesHash,
    fields.coinbase,
    fields.stateRoot,
    fields.txTrieRoot,
    fields.receiptTrieRoot,
    compressed ? header.extensionData : fields.logsBloom,
    fields.difficultyBytes,
    fields.number,
    fields.gasLimitBytes,
    fields.gasUsed,
    fields.timestamp,
    fields.extraData,
    fields.paidFees,
    signedAmount(fields.minimumGasPrice),
    fields.uncleCount,
  ]
  if (fields.ummRoot !== null) strings.push(fields.ummRoot)
  if (!compressed) {
    if (fields.version !== 0) strings.push(fields.version)
    if (fields.edges !== null) strings.push(edgesToBytes(fields.edges))
    if (fields.baseEvent !== null) strings.push(fields.baseEvent)
  }
  if (encoding.bitcoinHeader && header.hasMiningFields) {
    strings.push(fields.bitcoinMergedMiningHeader)
    if (encoding.proofAndCoinbase) {
      strings.push(fields.bitcoinMergedMiningMerkleProof, fields.bitcoinMergedMiningCoinbaseTransaction)
    }
  }
  return encodeStrings(strings)
}
