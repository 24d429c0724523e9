import type { Block } from '../chain/codec/block.ts'
import type { BlockHeader } from '../chain/codec/header.ts'
import type { AncestorMetadata, AncestorUncle } from '../native/types.ts'
import { bigIntToBytes } from '../util/bytes.ts'

/** What later blocks read of a connected block (BLOCKHASH, REMASC, the BlockHeader contract). */
export function nativeAncestorOf(block: Block, totalDifficulty: bigint): AncestorMetadata {
  const { fields } = block.header
  return {
    hash: block.hash,
    parentHash: fields.parentHash,
    number: block.number,
    timestamp: fields.timestamp,
    coinbase: coinbaseOf(block.header),
    minimumGasPrice: bigIntToBytes(fields.minimumGasPrice ?? 0n),
    gasLimit: fields.gasLimitBytes,
    gasUsed: Number(fields.gasUsed),
    difficulty: bigIntToBytes(block.header.difficulty),
    paidFees: bigIntToBytes(fields.paidFees),
    uncleCount: fields.uncleCount,
    totalDifficulty: bigIntToBytes(totalDifficulty),
    ...(fields.bitcoinMergedMiningHeader.length === 0
      ? {}
      : { bitcoinHeader: fields.bitcoinMergedMiningHeader }),
    ...(fields.bitcoinMergedMiningCoinbaseTransaction.length === 0
      ? {}
      : { bitcoinCoinbase: fields.bitcoinMergedMiningCoinbaseTransaction }),
    uncles: block.uncles.map(toAncestorUncle),
  }
}

/** Miner of a block: 20 bytes; an empty coinbase is the zero address. */
export function coinbaseOf(header: BlockHeader): Buffer {
  const { coinbase } = header.fields
  return coinbase.length === 0 ? Buffer.alloc(20) : coinbase
}

function toAncestorUncle(uncle: BlockHeader): AncestorUncle {
  return {
    hash: uncle.hash,
    number: uncle.number,
    coinbase: coinbaseOf(uncle),
    difficulty: bigIntToBytes(uncle.difficulty),
    paidFees: bigIntToBytes(uncle.fields.paidFees),
    uncleCount: uncle.fields.uncleCount,
  }
}
