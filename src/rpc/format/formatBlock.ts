import { type Block, cumulativeDifficulty } from '../../chain/codec/block.ts'
import type { BlockHeader } from '../../chain/codec/header.ts'
import { toHex } from '../../util/bytes.ts'
import type { Json } from '../json.ts'
import { quantity, quantityOfBytes } from './quantity.ts'

const ZERO_HASH = `0x${'00'.repeat(32)}`
const ZERO_NONCE = `0x${'00'.repeat(8)}`

/** What a block object tells. */
export interface BlockFormat {
  readonly header: BlockHeader
  readonly uncles: readonly BlockHeader[]
  /** Bytes of the RLP of the block. */
  readonly size: number
  /** Difficulty of the chain up to the block; zero when unknown. */
  readonly totalDifficulty: bigint
}

/** Block object (rpc.md §3.3) with an empty list of transactions. */
export function formatBlock({ header, uncles, size, totalDifficulty }: BlockFormat): {
  readonly [key: string]: Json
} {
  const { fields } = header
  return {
    number: quantity(header.number),
    hash: toHex(header.hash),
    parentHash: toHex(fields.parentHash),
    mixHash: ZERO_HASH,
    nonce: ZERO_NONCE,
    sha3Uncles: toHex(fields.unclesHash),
    logsBloom: fields.logsBloom === null ? null : toHex(fields.logsBloom),
    transactionsRoot: toHex(fields.txTrieRoot),
    stateRoot: toHex(fields.stateRoot),
    receiptsRoot: toHex(fields.receiptTrieRoot),
    miner: toHex(fields.coinbase),
    difficulty: quantity(header.difficulty),
    totalDifficulty: quantity(totalDifficulty),
    extraData: toHex(fields.extraData),
    size: quantity(size),
    gasLimit: quantityOfBytes(fields.gasLimitBytes),
    gasUsed: quantity(fields.gasUsed),
    timestamp: quantity(fields.timestamp),
    transactions: [],
    uncles: uncles.map((uncle) => toHex(uncle.hash)),
    minimumGasPrice: fields.minimumGasPrice === null ? null : quantity(fields.minimumGasPrice),
    bitcoinMergedMiningHeader: toHex(fields.bitcoinMergedMiningHeader),
    bitcoinMergedMiningCoinbaseTransaction: toHex(fields.bitcoinMergedMiningCoinbaseTransaction),
    bitcoinMergedMiningMerkleProof: toHex(fields.bitcoinMergedMiningMerkleProof),
    hashForMergedMining: toHex(header.hashForMergedMining()),
    paidFees: quantity(fields.paidFees),
    cumulativeDifficulty: quantity(cumulativeDifficulty(header, uncles)),
    rskPteEdges: fields.edges,
    baseEvent: fields.baseEvent === null || fields.baseEvent.length === 0 ? null : toHex(fields.baseEvent),
  }
}

/** The same of a whole block. */
export function formatDecodedBlock(block: Block, totalDifficulty: bigint): { readonly [key: string]: Json } {
  const { header, uncles, encoded } = block
  return formatBlock({ header, uncles, size: encoded.length, totalDifficulty })
}
