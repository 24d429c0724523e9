import { Block } from '../../chain/codec/block.ts'
import { EMPTY_TRIE_HASH } from '../../chain/codec/constants.ts'
import type { BlockHeader } from '../../chain/codec/header.ts'
import { createLogsBloom } from '../../chain/codec/logsBloom.ts'
import type { SimulatedBlock, SimulatedOutcome, SimulationRefusal } from '../../execution/simulation.ts'
import { bigIntToSignedBytes, EMPTY_BYTES, toHex } from '../../util/bytes.ts'
import { RpcError, type RpcErrorKind, toErrorObject } from '../errors.ts'
import { formatDecodedBlock } from '../format/formatBlock.ts'
import { formatLog } from '../format/formatLog.ts'
import { quantity } from '../format/quantity.ts'
import type { Json } from '../json.ts'
import { type BlockOverrides, type BlockStateCalls, MOST_SIMULATED_BLOCKS } from '../params/simulation.ts'
import { failureError, revertError } from './revert.ts'

const NO_DATA = Buffer.alloc(0)

/**
 * The pretended blocks of a request, those that lie between them included.
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
      if (planned.length >= MOST_SIMULATED_BLOCKS) {
        throw new RpcError('simulatedTooMuch', `too many blocks: at most ${MOST_SIMULATED_BLOCKS}`)
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
          gasPrice: call.gasPrice ?? 0n,
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
  const timestamp = overrides.time ?? parent.timestamp + 1
  if (number <= parent.number) {
    throw new RpcError(
      'simulatedNumberOrder',
      `block numbers must be in order: ${number} <= ${parent.number}`,
    )
  }
  if (timestamp <= parent.timestamp) {
    throw new RpcError(
      'simulatedTimeOrder',
      `block timestamps must be in order: ${timestamp} <= ${parent.timestamp}`,
    )
  }
  return parent.with({
    number,
    timestamp,
    parentHash: parent.hash,
    coinbase: overrides.feeRecipient ?? parent.fields.coinbase,
    txTrieRoot: EMPTY_TRIE_HASH,
    receiptTrieRoot: EMPTY_TRIE_HASH,
    gasUsed: 0n,
    paidFees: 0n,
    uncleCount: 0,
    bitcoinMergedMiningHeader: EMPTY_BYTES,
    bitcoinMergedMiningMerkleProof: EMPTY_BYTES,
    bitcoinMergedMiningCoinbaseTransaction: EMPTY_BYTES,
    ...(overrides.gasLimit === undefined ? {} : { gasLimitBytes: bigIntToSignedBytes(overrides.gasLimit) }),
  })
}

const REFUSALS: Readonly<Record<SimulationRefusal, RpcErrorKind>> = {
  nonceTooLow: 'simulatedNonceTooLow',
  nonceTooHigh: 'simulatedNonceTooHigh',
  intrinsicGas: 'simulatedIntrinsicGas',
  funds: 'simulatedFunds',
  room: 'simulatedRoom',
  other: 'executionFailed',
}

/** @throws RpcError when a call could be in no block: the request has no answer then */
export function assertExecutable(outcomes: readonly (readonly SimulatedOutcome[])[]): void {
  for (const { refusal, outcome } of outcomes.flat()) {
    if (refusal === null) continue
    const reason = outcome.status === 'failure' ? outcome.reason : outcome.status
    const { message } = new RpcError(REFUSALS[refusal])
    throw new RpcError(REFUSALS[refusal], refusal === 'other' ? reason : `${message}: ${reason}`)
  }
}

/** Block objects with the calls, each the parent of the next. */
export function formatSimulatedBlocks(
  blocks: readonly SimulatedBlock[],
  outcomes: readonly (readonly SimulatedOutcome[])[],
): { readonly [key: string]: Json }[] {
  let parent: BlockHeader | null = null
  return blocks.map(({ header }, index) => {
    const own = outcomes[index] ?? []
    const made: BlockHeader = header.with({
      gasUsed: own.reduce((sum, { outcome }) => sum + outcome.gasUsed, 0n),
      logsBloom: createLogsBloom(own.flatMap(({ logs }) => logs)),
      ...(parent === null ? {} : { parentHash: parent.hash }),
    })
    parent = made
    return formatSimulatedBlock(made, own)
  })
}

/**
 * Nothing is written, so the roots of a block are those of the block that all stand on, and its transactions,
 * which nobody signed, have no hashes.
 */
function formatSimulatedBlock(
  made: BlockHeader,
  outcomes: readonly SimulatedOutcome[],
): { readonly [key: string]: Json } {
  let logIndex = 0
  const calls = outcomes.map((outcome, index) => {
    const call = formatCall(outcome, made, index, logIndex)
    logIndex += outcome.logs.length
    return call
  })
  return { ...formatDecodedBlock(new Block(made, [], []), 0n), calls }
}

function formatCall(
  { outcome, logs }: SimulatedOutcome,
  header: BlockHeader,
  index: number,
  firstLog: number,
): { readonly [key: string]: Json } {
  const place = {
    blockNumber: header.number,
    blockHash: header.hash,
    transactionHash: Buffer.alloc(32),
    transactionIndex: index,
  }
  const succeeded = outcome.status === 'success'
  return {
    returnData: outcome.status === 'failure' ? '0x' : toHex(outcome.output),
    logs: logs.map((log, position) => ({
      ...formatLog(log, { ...place, logIndex: firstLog + position }),
      removed: false,
    })),
    gasUsed: quantity(outcome.gasUsed),
    status: succeeded ? '0x1' : '0x0',
    ...(succeeded ? {} : { error: { ...toErrorObject(errorOf(outcome)) } }),
  }
}

function errorOf(outcome: Exclude<SimulatedOutcome['outcome'], { status: 'success' }>) {
  return outcome.status === 'revert' ? revertError(outcome.output) : failureError(outcome.reason)
}
