import type { Block } from '../chain/codec/block.ts'
import type { BlockHeader } from '../chain/codec/header.ts'
import type { AncestorMetadata, AncestorUncle } from '../native/types.ts'
import { MAX_WORD, min } from '../util/bigint.ts'
import { bigIntToBytes } from '../util/bytes.ts'

/**
 * The part of a connected block that later ones read (BLOCKHASH, REMASC, the BlockHeader contract), and where its state
 * is. @param stateRoot of the state after it; null where it is not known
 */
export function nativeAncestorOf(
  block: Block,
  totalDifficulty: bigint,
  stateRoot: Buffer | null,
): AncestorMetadata {
  const { fields } = block.header
  return {
    hash: block.hash,
    parentHash: fields.parentHash,
    number: block.number,
    timestamp: fields.timestamp,
    coinbase: fields.coinbase,
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
    ...(stateRoot === null ? {} : { stateRoot }),
  }
}

function toAncestorUncle(uncle: BlockHeader): AncestorUncle {
  return {
    hash: uncle.hash,
    number: uncle.number,
    coinbase: uncle.fields.coinbase,
    difficulty: bigIntToBytes(uncle.difficulty),
    // No rule looks at it, so it may be any number; it is only compared with what a block pays (consensus.md §8.3).
    paidFees: bigIntToBytes(min(uncle.fields.paidFees, MAX_WORD)),
    uncleCount: uncle.fields.uncleCount,
  }
}
