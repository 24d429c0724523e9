import { unclesHash } from '../chain/codec/block.ts'
import { FORK_DETECTION_FIRST_BLOCK } from '../chain/codec/constants.ts'
import { BlockHeader } from '../chain/codec/header.ts'
import { parseHeader } from '../chain/codec/headerDecoder.ts'
import type { HeaderFields, HeaderVersion } from '../chain/codec/headerFields.ts'
import { parseRLPList } from '../chain/codec/rlpReader.ts'
import { encodeBytes, encodeList } from '../chain/codec/rlpWriter.ts'
import { MAX_UNCLES } from '../chain/consensus.ts'
import { isActive } from '../config/activations.ts'
import type { NetworkSpec } from '../config/networkSpec.ts'
import { bigIntToBytes, bigIntToSignedBytes, EMPTY_BYTES, fromHex, toHex } from '../util/bytes.ts'
import { UpstreamError } from './errors.ts'
import type { Upstream } from './upstream.ts'

/** A block of the upstream as rules of later blocks read it. Its hash, and those of its uncles, were computed here. */
export interface UpstreamBlock {
  readonly header: BlockHeader
  /** Difficulty of the chain up to and with it, as the upstream says: nothing proves that. */
  readonly totalDifficulty: bigint
  readonly uncles: readonly BlockHeader[]
}

type Fields = Readonly<Record<string, unknown>>

/**
 * The canonical block of a height, or the block of a hash (`0x` hex).
 * @throws UpstreamError `MALFORMED` when it is not the block of its hash, `REFUSED` when there is none
 */
export async function fetchBlock(
  upstream: Upstream,
  spec: NetworkSpec,
  block: number | string,
): Promise<UpstreamBlock> {
  const answer =
    typeof block === 'number'
      ? await upstream.request('eth_getBlockByNumber', [quantity(block), false])
      : await upstream.request('eth_getBlockByHash', [block, false])
  const fields = asFields(answer)
  if (fields === null) throw new UpstreamError('REFUSED', `the upstream has no block ${block}`)
  const uncles = await fetchUncles(upstream, spec, fields)
  const header = headerOf(spec, fields, [uncles.length]) ?? (await fetchRawHeader(upstream, spec, fields))
  const isWhole = header !== null && unclesHash(uncles).equals(header.fields.unclesHash)
  if (!isWhole || (typeof block === 'number' ? header.number !== block : toHex(header.hash) !== block)) {
    throw new UpstreamError(
      'MALFORMED',
      `the upstream's answer for block ${block} is not the block of its hash`,
    )
  }
  return { header, totalDifficulty: numberOf(fields['totalDifficulty']), uncles }
}

async function fetchUncles(upstream: Upstream, spec: NetworkSpec, block: Fields): Promise<BlockHeader[]> {
  const hashes = Array.isArray(block['uncles']) ? block['uncles'].map(String) : []
  return await Promise.all(
    hashes.map(async (hash, index) => {
      const answer = asFields(
        await upstream.request('eth_getUncleByBlockHashAndIndex', [block['hash'], quantity(index)]),
      )
      // What an uncle says of its own uncles is in its header alone, whose hash tells which count it is.
      const counts = Array.from({ length: MAX_UNCLES + 1 }, (_, count) => count)
      const header = answer === null ? null : headerOf(spec, answer, counts)
      if (header !== null && toHex(header.hash) === hash) return header
      throw new UpstreamError(
        'MALFORMED',
        `the upstream's answer for uncle ${hash} is not the block of its hash`,
      )
    }),
  )
}

/** For blocks of which JSON does not have every field. */
async function fetchRawHeader(
  upstream: Upstream,
  spec: NetworkSpec,
  block: Fields,
): Promise<BlockHeader | null> {
  const raw = await upstream.request('rsk_getRawBlockHeaderByNumber', [block['number']])
  if (typeof raw !== 'string') return null
  const items = parseRLPList(fromHex(raw)).map((item) => encodeBytes(item.bytes))
  // It leaves out what is not hashed.
  const rest = isActive(spec, 'rskip92', Number(numberOf(block['number'])))
    ? [
        encodeBytes(bytesOf(block['bitcoinMergedMiningMerkleProof'])),
        encodeBytes(bytesOf(block['bitcoinMergedMiningCoinbaseTransaction'])),
      ]
    : []
  const header = parseHeader(spec, encodeList([...items, ...rest]))
  return toHex(header.hash) === block['hash'] ? header : null
}

/**
 * The header of a block object, which has its hash; null when no header with these fields does.
 * @param uncleCounts that are tried
 */
export function headerOf(
  spec: NetworkSpec,
  block: Fields,
  uncleCounts: readonly number[],
): BlockHeader | null {
  const gasLimit = numberOf(block['gasLimit'])
  for (const uncleCount of uncleCounts) {
    // Builders differ in whether they write a sign.
    for (const gasLimitBytes of [bigIntToSignedBytes(gasLimit), bigIntToBytes(gasLimit)]) {
      const header = new BlockHeader(fieldsOf(spec, block, uncleCount, gasLimitBytes))
      if (toHex(header.hash) === block['hash']) return header
    }
  }
  return null
}

function fieldsOf(spec: NetworkSpec, block: Fields, uncleCount: number, gasLimitBytes: Buffer): HeaderFields {
  const number = Number(numberOf(block['number']))
  const version = versionAt(spec, number)
  const edges = block['rskPteEdges']
  const price = block['minimumGasPrice']
  return {
    version,
    parentHash: bytesOf(block['parentHash']),
    unclesHash: bytesOf(block['sha3Uncles']),
    coinbase: bytesOf(block['miner']),
    stateRoot: bytesOf(block['stateRoot']),
    txTrieRoot: bytesOf(block['transactionsRoot']),
    receiptTrieRoot: bytesOf(block['receiptsRoot']),
    logsBloom: bytesOf(block['logsBloom']),
    compressedExtension: null,
    difficultyBytes: bigIntToSignedBytes(numberOf(block['difficulty'])),
    number,
    gasLimitBytes,
    gasUsed: numberOf(block['gasUsed']),
    timestamp: numberOf(block['timestamp']),
    extraData: bytesOf(block['extraData']),
    paidFees: numberOf(block['paidFees']),
    minimumGasPrice: price === null || price === undefined ? null : numberOf(price),
    uncleCount,
    ummRoot: isActive(spec, 'rskipUMM', number) ? EMPTY_BYTES : null,
    edges:
      Array.isArray(edges) && version > 0 && isActive(spec, 'rskip144', number) ? edges.map(Number) : null,
    baseEvent: version === 2 ? bytesOf(block['baseEvent']) : null,
    bitcoinMergedMiningHeader: bytesOf(block['bitcoinMergedMiningHeader']),
    bitcoinMergedMiningMerkleProof: bytesOf(block['bitcoinMergedMiningMerkleProof']),
    bitcoinMergedMiningCoinbaseTransaction: bytesOf(block['bitcoinMergedMiningCoinbaseTransaction']),
    forkDetectionData: EMPTY_BYTES,
    rskip92: isActive(spec, 'rskip92', number),
    includesForkDetectionData: isActive(spec, 'rskip110', number) && number >= FORK_DETECTION_FIRST_BLOCK,
  }
}

function versionAt(spec: NetworkSpec, number: number): HeaderVersion {
  if (number === 0 || !isActive(spec, 'rskip351', number)) return 0
  return isActive(spec, 'rskip535', number) ? 2 : 1
}

function asFields(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null ? (value as Fields) : null
}

/** A number as JSON-RPC writes it. */
export function quantity(value: number | bigint): string {
  return `0x${value.toString(16)}`
}

/** The number of a QUANTITY. @throws UpstreamError `MALFORMED` */
export function numberOf(value: unknown): bigint {
  if (typeof value === 'string' && /^0x[0-9a-f]*$/i.test(value)) return value === '0x' ? 0n : BigInt(value)
  throw new UpstreamError('MALFORMED', 'the upstream answers with something else than a number')
}

/** Bytes of hex digits; none where there is nothing. @throws UpstreamError `MALFORMED` */
export function bytesOf(value: unknown): Buffer {
  if (value === null || value === undefined) return EMPTY_BYTES
  if (typeof value === 'string' && /^0x([0-9a-f]{2})*$/i.test(value)) return fromHex(value)
  throw new UpstreamError('MALFORMED', 'the upstream answers with something else than bytes')
}
