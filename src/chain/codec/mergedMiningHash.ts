import { keccak256 } from '../../native/crypto.ts'
import { EMPTY_BYTES } from '../../util/bytes.ts'
import { CodecError } from './errors.ts'
import type { HeaderFields } from './headerFields.ts'

/** `RSKBLOCK:`, before the merged-mining hash in a Bitcoin coinbase. */
export const MERGED_MINING_TAG: Buffer = Buffer.from('RSKBLOCK:', 'ascii')

/** Bytes of the merged-mining hash that remain beside fork detection data (RSKIP110). */
const HASH_PREFIX_LENGTH = 20
/** Bytes of fork detection data: CPV 7, NU 1, BN 4. */
export const FORK_DETECTION_DATA_LENGTH = 12
/** Length of a non-empty UMM root. */
const UMM_ROOT_LENGTH = 20

/** Of a header, what the hash for merged mining is made of. */
export interface MergedMiningHeader {
  readonly fields: HeaderFields
  readonly hasMiningFields: boolean
  /** Preimage of {@link mergedMiningBase}. */
  readonly encodedForMergedMining: Buffer
  /** The result of {@link mergedMiningBase}, which headers keep. */
  readonly mergedMiningBase: Buffer
}

/**
 * Hash that the Bitcoin coinbase commits to (consensus.md §2.4).
 * @throws CodecError when the UMM root has a wrong length or fork detection data is missing
 */
export function hashForMergedMining(header: MergedMiningHeader): Buffer {
  const base = header.mergedMiningBase
  if (!header.fields.includesForkDetectionData) return base
  const data = header.hasMiningFields ? readForkDetectionData(header) : header.fields.forkDetectionData
  if (data.length < FORK_DETECTION_DATA_LENGTH) {
    throw new CodecError(
      'HEADER_MERGED_MINING',
      `${FORK_DETECTION_DATA_LENGTH} bytes of fork detection data`,
      String(data.length),
    )
  }
  return Buffer.concat([base.subarray(0, HASH_PREFIX_LENGTH), data.subarray(0, FORK_DETECTION_DATA_LENGTH)])
}

/**
 * Fork detection data of a header: the bytes in its coinbase after the tag and the first 20 bytes of the
 * merged-mining hash, or what the builder set (consensus.md §2.4). Empty where there is none.
 * @throws CodecError when the coinbase does not hold it
 */
export function readForkDetectionData(header: MergedMiningHeader): Buffer {
  const { fields } = header
  if (!fields.includesForkDetectionData) return EMPTY_BYTES
  if (!header.hasMiningFields || fields.forkDetectionData.length > 0) return fields.forkDetectionData
  const coinbase = fields.bitcoinMergedMiningCoinbaseTransaction
  const expected = Buffer.concat([MERGED_MINING_TAG, header.mergedMiningBase.subarray(0, HASH_PREFIX_LENGTH)])
  const position = coinbase.lastIndexOf(expected)
  if (position < 0) {
    throw new CodecError('HEADER_MERGED_MINING', 'tag and hash prefix in the coinbase', 'none')
  }
  const data = coinbase.subarray(position + expected.length).subarray(0, FORK_DETECTION_DATA_LENGTH)
  if (data.length < FORK_DETECTION_DATA_LENGTH) {
    throw new CodecError(
      'HEADER_MERGED_MINING',
      `${FORK_DETECTION_DATA_LENGTH} bytes after the tag`,
      String(data.length),
    )
  }
  return data
}

/**
 * What {@link hashForMergedMining} begins with, 32 bytes.
 * @throws CodecError when the UMM root has a wrong length
 */
export function mergedMiningBase(header: Omit<MergedMiningHeader, 'mergedMiningBase'>): Buffer {
  const hash = keccak256(header.encodedForMergedMining)
  const root = header.fields.ummRoot
  if (root === null || root.length === 0) return hash
  if (root.length !== UMM_ROOT_LENGTH) {
    throw new CodecError(
      'HEADER_MERGED_MINING',
      `UMM root of 0 or ${UMM_ROOT_LENGTH} bytes`,
      String(root.length),
    )
  }
  return keccak256(Buffer.concat([hash.subarray(0, UMM_ROOT_LENGTH), root]))
}
