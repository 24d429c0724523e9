import { unclesHash } from '../chain/codec/block.ts'
import { EMPTY_TRIE_HASH, FORK_DETECTION_FIRST_BLOCK } from '../chain/codec/constants.ts'
import type { BlockHeader } from '../chain/codec/header.ts'
import type { HeaderFields, HeaderVersion } from '../chain/codec/headerFields.ts'
import { BLOOM_LENGTH } from '../chain/codec/logsBloom.ts'
import { MIN_BLOCK_GAS_LIMIT } from '../chain/consensus.ts'
import { calculateDifficulty } from '../chain/difficulty.ts'
import { nextGasLimit } from '../chain/gasLimit.ts'
import { nextMinimumGasPrice } from '../chain/minimumGasPrice.ts'
import { isActive } from '../config/activations.ts'
import type { NetworkSpec } from '../config/networkSpec.ts'
import type { BlockLimits } from '../txpool/interface.ts'
import { bigIntToSignedBytes, EMPTY_BYTES } from '../util/bytes.ts'

/** The choices of a miner about its blocks. */
export interface BlockPolicy {
  /** Address of the coinbase, 20 bytes. */
  readonly coinbase: Buffer
  /** Target of the minimum gas price, wei. */
  readonly minimumGasPrice: bigint
  /** Target of the gas limit. */
  readonly gasLimit: bigint
  /** At most 32 bytes. */
  readonly extraData: Buffer
}

/** Inputs of a header draft. */
export interface BlockDraftParams {
  readonly spec: NetworkSpec
  readonly policy: BlockPolicy
  readonly parent: BlockHeader
  /** Seconds since 1970. */
  readonly timestamp: number
  readonly uncles: readonly BlockHeader[]
  /** 12 bytes, or empty where the block carries none (RSKIP110). */
  readonly forkDetectionData: Buffer
}

/** Limits that a policy gives the block after a parent (consensus.md §9.4 step 2). */
export function nextBlockLimits(
  policy: Pick<BlockPolicy, 'gasLimit' | 'minimumGasPrice'>,
  parent: BlockHeader,
  { jumpsGasLimit = false }: Pick<NetworkSpec, 'jumpsGasLimit'>,
): BlockLimits {
  return {
    gasLimit: nextGasLimit({
      parentGasLimit: parent.gasLimit,
      parentGasUsed: parent.fields.gasUsed,
      minimum: MIN_BLOCK_GAS_LIMIT,
      target: policy.gasLimit,
      forceTarget: true,
      jumps: jumpsGasLimit,
    }),
    minimumGasPrice: nextMinimumGasPrice(parent.fields.minimumGasPrice ?? 0n, policy.minimumGasPrice),
  }
}

/** True when the block of a height commits to fork detection data (RSKIP110, consensus.md §3.5). */
export function includesForkDetectionData(spec: NetworkSpec, number: number): boolean {
  // A fork does not have the ancestors, and no proof that commits to it.
  return spec.fork === undefined && isActive(spec, 'rskip110', number) && number >= FORK_DETECTION_FIRST_BLOCK
}

/** Fields of the next header that are known before execution (consensus.md §9.4 steps 2 and 4). */
export function draftHeaderFields(params: BlockDraftParams): HeaderFields {
  const { spec, policy, parent, timestamp, uncles, forkDetectionData } = params
  const number = parent.number + 1
  const uncleCount = uncles.length
  const time = BigInt(timestamp)
  const { gasLimit, minimumGasPrice } = nextBlockLimits(policy, parent, spec)
  const version = versionAt(spec, number)
  return {
    version,
    parentHash: parent.hash,
    unclesHash: unclesHash(uncles),
    coinbase: policy.coinbase,
    stateRoot: EMPTY_TRIE_HASH,
    txTrieRoot: EMPTY_TRIE_HASH,
    receiptTrieRoot: EMPTY_TRIE_HASH,
    logsBloom: Buffer.alloc(BLOOM_LENGTH),
    compressedExtension: null,
    difficultyBytes: bigIntToSignedBytes(
      calculateDifficulty(spec, { number, timestamp: time, uncleCount }, parent),
    ),
    number,
    // With a sign byte where the top bit is set, as the reference's builder writes it (consensus.md §2.1).
    gasLimitBytes: bigIntToSignedBytes(gasLimit),
    gasUsed: 0n,
    timestamp: time,
    extraData: policy.extraData,
    paidFees: 0n,
    minimumGasPrice,
    uncleCount,
    ummRoot: isActive(spec, 'rskipUMM', number) ? EMPTY_BYTES : null,
    // Known once the transactions are assigned.
    edges: null,
    // Empty in practice also where the Bridge has one: consensus.md §9.4 step 6.
    baseEvent: version === 2 ? EMPTY_BYTES : null,
    bitcoinMergedMiningHeader: EMPTY_BYTES,
    bitcoinMergedMiningMerkleProof: EMPTY_BYTES,
    bitcoinMergedMiningCoinbaseTransaction: EMPTY_BYTES,
    forkDetectionData,
    rskip92: isActive(spec, 'rskip92', number),
    includesForkDetectionData: includesForkDetectionData(spec, number),
  }
}

function versionAt(spec: NetworkSpec, number: number): HeaderVersion {
  if (!isActive(spec, 'rskip351', number)) return 0
  return isActive(spec, 'rskip535', number) ? 2 : 1
}
