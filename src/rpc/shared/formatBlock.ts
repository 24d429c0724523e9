import type { Block } from '../../chain/codec/block.ts'
import { toHex } from '../../util/bytes.ts'
import type { Json } from '../json.ts'
import { formatTransaction } from './formatTransaction.ts'
import { quantity, quantityOfBytes } from './quantity.ts'

const ZERO_HASH = `0x${'00'.repeat(32)}`
const ZERO_NONCE = `0x${'00'.repeat(8)}`

/** What a block object holds beside the block itself. */
export interface BlockFormat {
  /** Difficulty of the chain up to the block; zero when unknown. */
  readonly totalDifficulty: bigint
  /** Full transaction objects or hashes; none for an uncle (spec: without individual transactions). */
  readonly transactions: 'full' | 'hashes' | 'none'
  /** Senders of the transactions; only for full ones. */
  readonly senders: readonly Buffer[]
  /** The block is the next one, not yet mined: number, hash, nonce, miner and bloom are null. */
  readonly pending: boolean
}

/** Block object (facts/rpc.md §3.3). */
export function formatBlock(block: Block, format: BlockFormat): { readonly [key: string]: Json } {
  const { header } = block
  const { fields } = header
  const { pending } = format
  return {
    number: pending ? null : quantity(block.number),
    hash: pending ? null : toHex(block.hash),
    parentHash: toHex(fields.parentHash),
    mixHash: ZERO_HASH,
    nonce: pending ? null : ZERO_NONCE,
    sha3Uncles: toHex(fields.unclesHash),
    logsBloom: pending || fields.logsBloom === null ? null : toHex(fields.logsBloom),
    transactionsRoot: toHex(fields.txTrieRoot),
    stateRoot: toHex(fields.stateRoot),
    receiptsRoot: toHex(fields.receiptTrieRoot),
    miner: pending ? null : toHex(fields.coinbase),
    difficulty: quantity(header.difficulty),
    totalDifficulty: quantity(format.totalDifficulty),
    extraData: toHex(fields.extraData),
    size: quantity(block.encoded.length),
    gasLimit: quantityOfBytes(fields.gasLimitBytes),
    gasUsed: quantity(fields.gasUsed),
    timestamp: quantity(fields.timestamp),
    transactions: formatTransactions(block, format),
    uncles: block.uncles.map((uncle) => toHex(uncle.hash)),
    minimumGasPrice: fields.minimumGasPrice === null ? null : quantity(fields.minimumGasPrice),
    bitcoinMergedMiningHeader: toHex(fields.bitcoinMergedMiningHeader),
    bitcoinMergedMiningCoinbaseTransaction: toHex(fields.bitcoinMergedMiningCoinbaseTransaction),
    bitcoinMergedMiningMerkleProof: toHex(fields.bitcoinMergedMiningMerkleProof),
    hashForMergedMining: toHex(header.hashForMergedMining()),
    paidFees: quantity(fields.paidFees),
    cumulativeDifficulty: quantity(block.cumulativeDifficulty),
    rskPteEdges: fields.edges,
    baseEvent: fields.baseEvent === null || fields.baseEvent.length === 0 ? null : toHex(fields.baseEvent),
  }
}

function formatTransactions(block: Block, { transactions, senders, pending }: BlockFormat): Json[] {
  switch (transactions) {
    case 'none':
      return []
    case 'hashes':
      return block.transactions.map((transaction) => toHex(transaction.hash))
    case 'full': {
      const place = { blockHash: block.hash, blockNumber: block.number }
      return block.transactions.map((transaction, index) =>
        formatTransaction(
          transaction,
          senders[index] ?? Buffer.alloc(20),
          pending ? null : { ...place, index },
        ),
      )
    }
  }
}
