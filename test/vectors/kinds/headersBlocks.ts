import { parseBlock, unclesHash } from '../../../src/chain/codec/block.ts'
import { EMPTY_TRIE_HASH } from '../../../src/chain/codec/constants.ts'
import { BlockHeader } from '../../../src/chain/codec/header.ts'
import { parseHeader } from '../../../src/chain/codec/headerDecoder.ts'
import {
  encodeExtensionMessage,
  hashExtension,
  parseExtensionMessage,
} from '../../../src/chain/codec/headerExtension.ts'
import type { HeaderVersion } from '../../../src/chain/codec/headerFields.ts'
import { createLogsBloom, mergeBloom } from '../../../src/chain/codec/logsBloom.ts'
import { orderedRoot } from '../../../src/chain/codec/orderedRoot.ts'
import { encodeReceipt, parseReceipt, type Receipt } from '../../../src/chain/codec/receipt.ts'
import { networkByName } from '../../../src/config/networks/byName.ts'
import type { NetworkName } from '../../../src/config/networks/names.ts'
import { keccak256 } from '../../../src/native/crypto.ts'
import { bigIntToSignedBytes, EMPTY_BYTES, fromHex } from '../../../src/util/bytes.ts'
import { type CaseValues, type Comparison, tryOr } from '../comparison.ts'

type Line = { type: string; network: NetworkName } & Record<string, unknown>
type Fields = Record<string, unknown>

/** headers-blocks.jsonl: every encoding and hash of headers, extensions, roots and blocks. */
export async function compareHeadersBlocks(
  lines: AsyncIterable<unknown>,
  comparison: Comparison,
): Promise<void> {
  let number = 0
  for await (const line of lines) {
    const vector = line as Line
    const compare = COMPARE[vector.type]
    number += 1
    comparison.case(`${vector.type} line ${number}`, (values) => {
      if (compare === undefined) throw new Error(`unknown type ${vector.type}`)
      compare(vector, values)
    })
  }
}

const COMPARE: Readonly<Record<string, (vector: Line, values: CaseValues) => void>> = {
  genesis(vector, values) {
    const block = parseBlock(networkByName(vector.network), bytes(vector['blockRlp']))
    values.equal('hash', vector['hash'], block.hash)
    values.equal('block', vector['blockRlp'], block.encoded)
    values.equal('state root', vector['stateRoot'], block.header.fields.stateRoot)
    values.equal('full', vector['headerFull'], block.header.encodedFull)
    values.equal('for hash', vector['headerForHash'], block.header.encodedForHash)
  },

  header(vector, values) {
    const spec = networkByName(vector.network)
    const header = createHeader(vector['fields'] as Fields, vector['version'] as HeaderVersion)
    values.equal('full', vector['full'], header.encodedFull)
    values.equal('compressed', vector['compressed'], header.encodedCompressed)
    values.equal('for hash', vector['forHash'], header.encodedForHash)
    values.equal('for hash, not compressed', vector['forHashUncompressed'], header.encodedRaw)
    values.equal('for merged mining', vector['forMergedMining'], header.encodedForMergedMining)
    values.equal('hash', vector['hash'], header.hash)
    values.equalOrNull('hash for merged mining', vector['hashForMergedMining'], () =>
      header.hashForMergedMining(),
    )
    if ('extensionHash' in vector) {
      values.equal('extension data', vector['extensionData'], header.extensionData)
      values.equal('extension', vector['extensionEncoded'], header.encodedExtension?.encoded)
      values.equal('extension hash', vector['extensionHash'], header.encodedExtension?.hash)
      values.equal('extension message', vector['extensionWire'], header.encodedExtension?.message)
    }
    if ('decodedFullHash' in vector) {
      const decoded = tryOr(() => parseHeader(spec, bytes(vector['full'])), null)
      values.equal('decoded hash', vector['decodedFullHash'], decoded?.hash)
      values.equal(
        'encoded again',
        vector['reencodedFullEqual'],
        decoded?.encodedFull.equals(bytes(vector['full'])),
      )
      const decodedHash = tryOr(() => decoded?.hashForMergedMining() ?? null, null)
      values.equal('decoded hash for merged mining', vector['decodedHashForMergedMining'], decodedHash)
      // The recording read both in one attempt: without the hash there is no data.
      const data = decodedHash === null ? null : tryOr(() => decoded?.forkDetectionData() ?? null, null)
      values.equal('decoded fork detection data', vector['decodedForkDetectionData'], data)
    }
    if ('decodedCompressedHash' in vector) {
      const hash = tryOr(() => parseHeader(spec, bytes(vector['compressed']), 'compressed').hash, null)
      values.equal('decoded compressed hash', vector['decodedCompressedHash'], hash)
    }
  },

  headerDecode(vector, values) {
    const form = vector['compressed'] === true ? 'compressed' : 'full'
    const header = tryOr(() => parseHeader(networkByName(vector.network), bytes(vector['rlp']), form), null)
    values.equal('decodes', vector['ok'], header !== null)
    if (header === null) return
    values.equal('hash', vector['hash'], header.hash)
    values.equal('number', vector['number'], BigInt(header.number))
    values.equal('difficulty', vector['difficulty'], header.difficulty)
    values.equal('minimum gas price', vector['minimumGasPrice'], header.fields.minimumGasPrice)
    if ('reencoded' in vector) {
      values.equal(
        'encoded again',
        vector['reencoded'],
        form === 'full' ? header.encodedFull : header.encodedCompressed,
      )
    }
  },

  extensionDecode(vector, values) {
    const extension = tryOr(() => parseExtensionMessage(bytes(vector['wire'])), null)
    values.equal('decodes', vector['ok'], extension !== null)
    if (extension === null) return
    values.equal('version', vector['version'], extension.version)
    values.equal('hash', vector['hash'], hashExtension(extension))
    values.equal('encoded again', vector['reencoded'], encodeExtensionMessage(extension))
  },

  roots(vector, values) {
    const transactions = (vector['transactions'] as string[]).map(fromHex)
    values.equal('transactions root', vector['txTrieRoot'], orderedRoot(transactions, true))
    values.equal(
      'transactions root before RSKIP126',
      vector['txTrieRootBeforeRskip126'],
      orderedRoot(transactions, false),
    )
    const receipts = (vector['receipts'] as Fields[]).map((receipt) => compareReceipt(receipt, values))
    values.equal('receipts root', vector['receiptsRoot'], orderedRoot(receipts, true))
    values.equal(
      'receipts root before RSKIP126',
      vector['receiptsRootBeforeRskip126'],
      orderedRoot(receipts, false),
    )
    const bloom = Buffer.alloc(256)
    for (const receipt of receipts) mergeBloom(bloom, parseReceipt(receipt).logsBloom)
    values.equal('logs bloom', vector['logsBloom'], bloom)
  },

  block(vector, values) {
    const block = parseBlock(networkByName(vector.network), bytes(vector['rlp']))
    values.equal('hash', vector['hash'], block.hash)
    values.equal('decoded hash', vector['decodedHash'], block.hash)
    values.equal('number', vector['number'], BigInt(block.number))
    values.equal('encoded again', vector['rlp'], block.encoded)
    values.equal(
      'transaction hashes',
      vector['transactionHashes'],
      block.transactions.map((transaction) => transaction.hash),
    )
    values.equal(
      'uncle hashes',
      vector['uncleHashes'],
      block.uncles.map((uncle) => uncle.hash),
    )
    values.equal('uncles hash', vector['unclesHash'], unclesHash(block.uncles))
    values.equal('transactions root', vector['txTrieRoot'], block.header.fields.txTrieRoot)
    values.equal('header version', vector['headerVersion'], block.header.fields.version)
    values.equal('reward transaction', vector['remascTxRlp'], block.transactions.at(-1)?.encoded)
    values.equal('last is the reward transaction', true, block.transactions.at(-1)?.isRemasc)
  },

  blockDecode(vector, values) {
    const block = tryOr(() => parseBlock(networkByName(vector.network), bytes(vector['rlp'])), null)
    values.equal('decodes', vector['ok'], block !== null)
  },
}

function compareReceipt(vector: Fields, values: CaseValues): Buffer {
  const logs = (vector['logs'] as Fields[]).map((log) => ({
    address: bytes(log['address']),
    topics: (log['topics'] as string[]).map(fromHex),
    data: bytes(log['data']),
  }))
  const receipt: Receipt = {
    success: vector['success'] === true,
    cumulativeGasUsed: BigInt(vector['cumulativeGas'] as string),
    gasUsed: BigInt(vector['gasUsed'] as string),
    logsBloom: createLogsBloom(logs),
    logs,
  }
  // These receipts were built without a post state; those of blocks carry the outcome there too.
  const encoded = encodeReceipt(receipt, EMPTY_BYTES)
  if (typeof vector['rlp'] === 'string') values.equal('receipt', vector['rlp'], encoded)
  values.equal('receipt hash', vector['hash'], keccak256(encoded))
  values.equal('receipt decoded and encoded', encoded, encodeReceipt(parseReceipt(encoded), EMPTY_BYTES))
  return encoded
}

function createHeader(fields: Fields, version: HeaderVersion): BlockHeader {
  return new BlockHeader({
    version,
    parentHash: bytes(fields['parentHash']),
    unclesHash: bytes(fields['unclesHash']),
    coinbase: bytes(fields['coinbase']),
    stateRoot: bytes(fields['stateRoot']),
    txTrieRoot: bytes(fields['txTrieRoot'] ?? `0x${EMPTY_TRIE_HASH.toString('hex')}`),
    receiptTrieRoot: bytes(fields['receiptTrieRoot']),
    logsBloom: bytes(fields['logsBloom']),
    compressedExtension: null,
    difficultyBytes: bigIntToSignedBytes(BigInt(fields['difficulty'] as string)),
    number: Number(fields['number']),
    gasLimitBytes: bytes(fields['gasLimitBytes']),
    gasUsed: BigInt(fields['gasUsed'] as string),
    timestamp: BigInt(fields['timestamp'] as string | number),
    extraData: bytes(fields['extraData']),
    paidFees: BigInt(fields['paidFees'] as string),
    minimumGasPrice: BigInt(fields['minimumGasPrice'] as string),
    uncleCount: fields['uncleCount'] as number,
    ummRoot: optionalBytes(fields['ummRoot']),
    edges: (fields['txExecutionSublistsEdges'] as number[] | undefined) ?? null,
    baseEvent: optionalBytes(fields['baseEvent']),
    bitcoinMergedMiningHeader: optionalBytes(fields['bitcoinMergedMiningHeader']) ?? EMPTY_BYTES,
    bitcoinMergedMiningMerkleProof: optionalBytes(fields['bitcoinMergedMiningMerkleProof']) ?? EMPTY_BYTES,
    bitcoinMergedMiningCoinbaseTransaction:
      optionalBytes(fields['bitcoinMergedMiningCoinbaseTransaction']) ?? EMPTY_BYTES,
    forkDetectionData: optionalBytes(fields['forkDetectionData']) ?? EMPTY_BYTES,
    rskip92: fields['useRskip92Encoding'] === true,
    includesForkDetectionData: fields['includeForkDetectionData'] === true,
  })
}

function bytes(hex: unknown): Buffer {
  if (typeof hex !== 'string') throw new TypeError('hex expected')
  return fromHex(hex)
}

function optionalBytes(hex: unknown): Buffer | null {
  return typeof hex === 'string' ? fromHex(hex) : null
}
