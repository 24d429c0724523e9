import { isActive } from '../../config/activations.ts'
import type { NetworkSpec } from '../../config/networkSpec.ts'
import { bigIntToSignedBytes, bytesToBigInt, EMPTY_BYTES, signedBytesToBigInt } from '../../util/bytes.ts'
import { EMPTY_TRIE_HASH, FORK_DETECTION_FIRST_BLOCK } from './constants.ts'
import { CodecError } from './errors.ts'
import { BlockHeader } from './header.ts'
import type { HeaderFields, HeaderVersion } from './headerFields.ts'
import { itemAt, parseRLPList, type RlpItem } from './rlpReader.ts'
import { parseEdges } from './rlpWriter.ts'

/** Elements that every header has. */
const COMMON_FIELDS = 16
/** The Bitcoin header, the proof and the coinbase come together or not at all. */
const MINING_FIELDS = 3
const BITCOIN_HEADER_LENGTH = 80
const ADDRESS_LENGTH = 20
const MAX_INT64 = (1n << 63n) - 1n
const MAX_INT32 = (1n << 31n) - 1n

/** Testnet blocks below this height may lack the base event (consensus.md §2.1). */
const BASE_EVENT_TOLERANCE = { network: 'testnet', below: 7_800_000 } as const

/** Optional elements that the headers of a height have. */
interface Layout {
  readonly umm: boolean
  readonly version: boolean
  readonly edges: boolean
  readonly baseEvent: boolean
}

/**
 * Header of its RLP (consensus.md §2.1, §2.2).
 * @param form `full` as in blocks, or `compressed` as in header messages (RSKIP351)
 * @throws RlpError, CodecError
 */
export function parseHeader(
  spec: NetworkSpec,
  rlp: Uint8Array,
  form: 'full' | 'compressed' = 'full',
): BlockHeader {
  return headerFromItems(spec, parseRLPList(rlp), form)
}

/** Header of the elements of its list. @throws RlpError, CodecError */
export function headerFromItems(
  spec: NetworkSpec,
  items: readonly RlpItem[],
  form: 'full' | 'compressed' = 'full',
): BlockHeader {
  const compressed = form === 'compressed'
  const height = unsignedInt64(itemAt(items, 8).bytes, 'number')
  const number = Number(height)
  const layout = layoutAt(spec, number)
  checkSize(spec, items.length, number, layout, compressed)
  const coinbase = itemAt(items, 2).bytes
  if (coinbase.length !== 0 && coinbase.length !== ADDRESS_LENGTH) {
    throw new CodecError('HEADER_FIELD', 'coinbase of 20 bytes', String(coinbase.length))
  }
  const difficultyBytes = itemAt(items, 7).bytes
  if (signedBytesToBigInt(difficultyBytes) < 0n) {
    throw new CodecError(
      'HEADER_FIELD',
      'difficulty of zero or more',
      signedBytesToBigInt(difficultyBytes).toString(),
    )
  }
  const gasUsed = unsignedInt64(itemAt(items, 10).bytes, 'gas used')
  const timestamp = unsignedInt64(itemAt(items, 11).bytes, 'timestamp')
  const uncles = uncleCount(itemAt(items, 15).bytes)
  const rest = readOptional(spec, items, number, layout, compressed)
  const extended = rest.version !== 0 && compressed
  // Later versions hash the bloom, and the reference has none to hash.
  if (rest.version !== 0 && itemAt(items, 6).bytes.length === 0) {
    throw new CodecError('HEADER_FIELD', 'logs bloom', 'nothing')
  }
  // The reference decodes these, and refuses each: no chain reaches them, and a block has the height after its parent's.
  if (!Number.isSafeInteger(number)) {
    throw new CodecError('HEADER_FIELD', 'number of at most 53 bits', height.toString())
  }
  // One object literal for all headers: merging objects would dominate the time of decoding.
  const fields: HeaderFields = {
    version: rest.version,
    parentHash: itemAt(items, 0).bytes,
    unclesHash: itemAt(items, 1).bytes,
    coinbase,
    stateRoot: orEmptyTrie(itemAt(items, 3).bytes),
    txTrieRoot: orEmptyTrie(itemAt(items, 4).bytes),
    receiptTrieRoot: orEmptyTrie(itemAt(items, 5).bytes),
    logsBloom: extended ? null : itemAt(items, 6).bytes,
    compressedExtension: extended ? itemAt(items, 6).bytes : null,
    difficultyBytes: number === 0 ? difficultyBytes : canonicalSigned(difficultyBytes),
    number,
    gasLimitBytes: itemAt(items, 9).bytes,
    gasUsed,
    timestamp,
    extraData: itemAt(items, 12).bytes,
    paidFees: bytesToBigInt(itemAt(items, 13).bytes),
    minimumGasPrice: optionalSigned(itemAt(items, 14).bytes),
    uncleCount: uncles,
    ummRoot: rest.ummRoot,
    edges: rest.edges,
    baseEvent: rest.baseEvent,
    bitcoinMergedMiningHeader: rest.bitcoinMergedMiningHeader,
    bitcoinMergedMiningMerkleProof: rest.bitcoinMergedMiningMerkleProof,
    bitcoinMergedMiningCoinbaseTransaction: rest.bitcoinMergedMiningCoinbaseTransaction,
    forkDetectionData: EMPTY_BYTES,
    rskip92: isActive(spec, 'rskip92', number),
    includesForkDetectionData:
      number !== 0 && isActive(spec, 'rskip110', number) && number >= FORK_DETECTION_FIRST_BLOCK,
  }
  return new BlockHeader(number === 0 ? genesisFields(fields) : fields)
}

type OptionalFields = Pick<
  HeaderFields,
  | 'version'
  | 'ummRoot'
  | 'edges'
  | 'baseEvent'
  | 'bitcoinMergedMiningHeader'
  | 'bitcoinMergedMiningMerkleProof'
  | 'bitcoinMergedMiningCoinbaseTransaction'
>

const GENESIS_LAYOUT: Layout = { umm: false, version: false, edges: false, baseEvent: false }

function layoutAt(spec: NetworkSpec, number: number): Layout {
  // Always version 0, also where later versions begin at height 0 (consensus.md §1.4).
  if (number === 0) return GENESIS_LAYOUT
  const version = isActive(spec, 'rskip351', number)
  return {
    umm: isActive(spec, 'rskipUMM', number),
    version,
    edges: version && isActive(spec, 'rskip144', number),
    baseEvent: version && isActive(spec, 'rskip535', number),
  }
}

/** Element counts of consensus.md §2.1. */
function checkSize(
  spec: NetworkSpec,
  size: number,
  number: number,
  layout: Layout,
  compressed: boolean,
): void {
  let expected = COMMON_FIELDS + (layout.umm ? 1 : 0)
  if (!compressed) expected += Number(layout.version) + Number(layout.edges) + Number(layout.baseEvent)
  const mayLackBaseEvent =
    !compressed &&
    layout.baseEvent &&
    spec.name === BASE_EVENT_TOLERANCE.network &&
    number < BASE_EVENT_TOLERANCE.below
  for (const allowed of mayLackBaseEvent ? [expected, expected - 1] : [expected]) {
    if (size === allowed || size === allowed + MINING_FIELDS) return
  }
  throw new CodecError('HEADER_SIZE', `${expected} or ${expected + MINING_FIELDS} elements`, String(size))
}

function readOptional(
  spec: NetworkSpec,
  items: readonly RlpItem[],
  number: number,
  layout: Layout,
  compressed: boolean,
): OptionalFields {
  let next = COMMON_FIELDS
  const ummRoot = layout.umm ? itemAt(items, next++).bytes : null
  let version: HeaderVersion = 0
  if (layout.version) {
    version = compressed ? compressedVersion(itemAt(items, 6).bytes) : versionOf(itemAt(items, next++).bytes)
  }
  const edges =
    layout.edges && !compressed && items.length > next ? parseEdges(itemAt(items, next++).bytes) : null
  let baseEvent: Buffer | null = null
  if (layout.baseEvent && !compressed) {
    const remaining = items.length - next
    baseEvent = remaining === 0 || remaining === MINING_FIELDS ? EMPTY_BYTES : itemAt(items, next++).bytes
  }
  const mined = items.length > next
  const bitcoinHeader = mined ? itemAt(items, next++).bytes : EMPTY_BYTES
  if (
    mined &&
    number !== 0 &&
    isActive(spec, 'rskip98', number) &&
    bitcoinHeader.length !== BITCOIN_HEADER_LENGTH
  ) {
    throw new CodecError(
      'HEADER_FIELD',
      `Bitcoin header of ${BITCOIN_HEADER_LENGTH} bytes`,
      String(bitcoinHeader.length),
    )
  }
  return {
    version,
    ummRoot,
    edges,
    baseEvent,
    bitcoinMergedMiningHeader: bitcoinHeader,
    bitcoinMergedMiningMerkleProof: mined ? itemAt(items, next++).bytes : EMPTY_BYTES,
    bitcoinMergedMiningCoinbaseTransaction: mined ? itemAt(items, next++).bytes : EMPTY_BYTES,
  }
}

/** Genesis is always version 0; its gas limit loses leading zeros and its difficulty keeps them (consensus.md §1.4). */
function genesisFields(fields: HeaderFields): HeaderFields {
  if (fields.coinbase.length === 0) throw new CodecError('HEADER_FIELD', 'coinbase of 20 bytes', '0')
  return {
    ...fields,
    version: 0,
    txTrieRoot: EMPTY_TRIE_HASH,
    receiptTrieRoot: EMPTY_TRIE_HASH,
    gasLimitBytes: stripLeadingZeros(fields.gasLimitBytes),
    paidFees: 0n,
    uncleCount: 0,
    ummRoot: null,
    edges: null,
    baseEvent: null,
  }
}

/** Bytes without leading zeros; all zeros leave one. */
export function stripLeadingZeros(bytes: Buffer): Buffer {
  let start = 0
  while (start < bytes.length - 1 && bytes[start] === 0) start += 1
  return bytes.subarray(start)
}

function versionOf(bytes: Buffer): HeaderVersion {
  const version = bytes[0]
  if (version === undefined) throw new CodecError('HEADER_FIELD', 'header version', 'nothing')
  // The reference takes any other version for the oldest layout.
  return version === 1 || version === 2 ? version : 0
}

function compressedVersion(extensionData: Buffer): HeaderVersion {
  return versionOf(itemAt(parseRLPList(extensionData), 0).bytes)
}

function orEmptyTrie(root: Buffer): Buffer {
  return root.length === 0 ? EMPTY_TRIE_HASH : root
}

function canonicalSigned(bytes: Buffer): Buffer {
  return bytes.length === 0 ? EMPTY_BYTES : bigIntToSignedBytes(signedBytesToBigInt(bytes))
}

function optionalSigned(bytes: Buffer): bigint | null {
  return bytes.length === 0 ? null : signedBytesToBigInt(bytes)
}

function unsignedInt64(bytes: Buffer, field: string): bigint {
  const value = bytesToBigInt(bytes)
  if (value > MAX_INT64) throw new CodecError('HEADER_FIELD', `${field} of at most 63 bits`, value.toString())
  return value
}

function uncleCount(bytes: Buffer): number {
  const value = bytesToBigInt(bytes)
  if (value > MAX_INT32)
    throw new CodecError('HEADER_FIELD', 'uncle count of at most 31 bits', value.toString())
  return Number(value)
}
