import { type Block, cumulativeDifficulty } from '../../chain/codec/block.ts'
import type { BlockHeader } from '../../chain/codec/header.ts'
import type { BlockMembersText } from '../../native/encodedObjectCache.ts'
import { toHex } from '../../util/bytes.ts'
import type { Json } from '../json.ts'
import { quantity, quantityOfBytes } from './quantity.ts'

const ZERO_HASH = `0x${'00'.repeat(32)}`
const ZERO_NONCE = `0x${'00'.repeat(8)}`

/** The parts of a block object. */
export interface BlockFormat {
  readonly header: BlockHeader
  readonly uncles: readonly BlockHeader[]
  /** Bytes of the RLP of the block. */
  readonly size: number
  /** Difficulty of the chain up to the block; zero when unknown. */
  readonly totalDifficulty: bigint
}

/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json }

/** The members of a block object that stand before its transactions, and those after them. */
export interface BlockMembers {
  readonly before: JsonObject
  readonly after: JsonObject
}

/** Block object (rpc.md §3.3) but for its transactions. */
export function blockMembers(block: BlockFormat): BlockMembers {
  return { before: membersBefore(block), after: membersAfter(block) }
}

/** The same of a whole block. */
export function membersOfBlock(block: Block, totalDifficulty: bigint): BlockMembers {
  const { header, uncles, encoded } = block
  return blockMembers({ header, uncles, size: encoded.length, totalDifficulty })
}

/** JSON texts of both. */
export function membersText({ before, after }: BlockMembers): BlockMembersText {
  return { before: JSON.stringify(before), after: JSON.stringify(after) }
}

/** JSON text of a block object. @param transactions JSON texts of its transactions with commas between */
export function blockText(members: BlockMembers, transactions: string): string {
  const { before, after } = membersText(members)
  return `${before.slice(0, -1)},"transactions":[${transactions}],${after.slice(1)}`
}

function membersBefore({ header, size, totalDifficulty }: BlockFormat): JsonObject {
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
  }
}

function membersAfter({ header, uncles }: BlockFormat): JsonObject {
  const { fields } = header
  return {
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
