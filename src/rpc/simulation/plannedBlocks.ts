import { EMPTY_LIST_HASH, EMPTY_TRIE_HASH } from '../../chain/codec/constants.ts'
import type { BlockHeader } from '../../chain/codec/header.ts'
import { BLOOM_LENGTH } from '../../chain/codec/logsBloom.ts'
import { FORK_DETECTION_DATA_LENGTH } from '../../chain/codec/mergedMiningHash.ts'
import type { SimulatedBlock } from '../../execution/simulation.ts'
import { bigIntToSignedBytes, EMPTY_BYTES } from '../../util/bytes.ts'
import { RpcError } from '../errors.ts'
import type { BlockOverrides } from '../params/blockOverrides.ts'
import { type BlockStateCalls, MAX_SIMULATED_BLOCKS } from '../params/simulationParam.ts'

const NO_DATA = Buffer.alloc(0)
const BLOCK_NUMBER_BYTES = 4

/**
 * The overridden blocks of a request, those that lie between them included.
 * @param gasCap most gas of a call
 * @throws RpcError when numbers or times do not rise
 */
export function planBlocks(
  base: BlockHeader,
  requested: readonly BlockStateCalls[],
  gasCap: bigint,
): SimulatedBlock[] {
  const planned: SimulatedBlock[] = []
  for (const { blockOverrides, stateOverrides, calls } of requested) {
    for (;;) {
      const parent = planned.at(-1)?.header ?? base
      const isFiller = (blockOverrides.number ?? 0) > parent.number + 1
      const header = nextHeader(parent, isFiller ? {} : blockOverrides)
      if (planned.length >= MAX_SIMULATED_BLOCKS) {
        throw new RpcError('simulatedTooMuch', `too many blocks: at most ${MAX_SIMULATED_BLOCKS}`)
      }
      if (isFiller) {
        planned.push({ header, overrides: [], calls: [] })
        continue
      }
      planned.push({
        header,
        overrides: stateOverrides,
        calls: calls.map((call) => ({
          from: call.from,
          to: call.to,
          gas: call.gas === null || call.gas > gasCap ? gasCap : call.gas,
          cut: call.gas === null,
          gasPrice: call.gasPrice ?? call.maxFeePerGas ?? 0n,
          value: call.value ?? 0n,
          data: call.data ?? NO_DATA,
          nonce: call.nonce,
        })),
      })
      break
    }
  }
  return planned
}

function nextHeader(parent: BlockHeader, overrides: BlockOverrides): BlockHeader {
  const number = overrides.number ?? parent.number + 1
  const { timestamp: parentTime } = parent.fields
  const timestamp = overrides.time === undefined ? parentTime + 1n : BigInt(overrides.time)
  if (number <= parent.number) {
    throw new RpcError(
      'simulatedNumberOrder',
      `block numbers must be in order: ${number} <= ${parent.number}`,
    )
  }
  if (timestamp <= parentTime) {
    throw new RpcError(
      'simulatedTimeOrder',
      `block timestamps must be in order: ${timestamp} <= ${parentTime}`,
    )
  }
  return plannedHeader(parent, number, timestamp, overrides)
}

/**
 * A header that is never mined, in the format of its parent's. It has no merged-mining data, so its fork detection data
 * (RSKIP110, consensus.md §3.5) is zero except for the height.
 */
function plannedHeader(
  parent: BlockHeader,
  number: number,
  timestamp: bigint,
  { feeRecipient, gasLimit }: BlockOverrides,
): BlockHeader {
  const { fields } = parent
  return parent.with({
    number,
    timestamp,
    parentHash: parent.hash,
    coinbase: feeRecipient ?? fields.coinbase,
    unclesHash: EMPTY_LIST_HASH,
    uncleCount: 0,
    txTrieRoot: EMPTY_TRIE_HASH,
    receiptTrieRoot: EMPTY_TRIE_HASH,
    logsBloom: Buffer.alloc(BLOOM_LENGTH),
    compressedExtension: null,
    edges: fields.edges === null ? null : [],
    baseEvent: fields.baseEvent === null ? null : EMPTY_BYTES,
    gasUsed: 0n,
    paidFees: 0n,
    bitcoinMergedMiningHeader: EMPTY_BYTES,
    bitcoinMergedMiningMerkleProof: EMPTY_BYTES,
    bitcoinMergedMiningCoinbaseTransaction: EMPTY_BYTES,
    forkDetectionData: fields.includesForkDetectionData ? forkDetectionDataOf(number) : EMPTY_BYTES,
    ...(gasLimit === undefined ? {} : { gasLimitBytes: bigIntToSignedBytes(gasLimit) }),
  })
}

function forkDetectionDataOf(number: number): Buffer {
  const data = Buffer.alloc(FORK_DETECTION_DATA_LENGTH)
  data.writeUInt32BE(number >>> 0, FORK_DETECTION_DATA_LENGTH - BLOCK_NUMBER_BYTES)
  return data
}
