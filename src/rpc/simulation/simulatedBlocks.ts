import { Block } from '../../chain/codec/block.ts'
import type { BlockHeader } from '../../chain/codec/header.ts'
import { createLogsBloom } from '../../chain/codec/logsBloom.ts'
import type { Receipt } from '../../chain/codec/receipt.ts'
import type { Transaction } from '../../chain/codec/transaction.ts'
import type { RevertForm } from '../../config/revertForm.ts'
import type { SimulatedBlock, SimulatedOutcome, SimulationRefusal } from '../../execution/simulation.ts'
import { toHex } from '../../util/bytes.ts'
import type { NodeContext } from '../context.ts'
import { RpcError, type RpcErrorKind, toErrorObject } from '../errors.ts'
import { formatDecodedBlock } from '../format/formatBlock.ts'
import { formatLog } from '../format/formatLog.ts'
import { formatTransaction, NO_SENDER } from '../format/formatTransaction.ts'
import { quantity } from '../format/quantity.ts'
import type { Json } from '../json.ts'
import { failureError, revertError } from './revert.ts'
import { logsWithTransfers } from './transferLogs.ts'
import { unsignedTransaction } from './unsignedTransaction.ts'

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

/** What an answer shows beside the results. */
export interface SimulationForm {
  /** With a log for each payment of the native currency. */
  readonly traceTransfers: boolean
  /** With transactions in place of their hashes. */
  readonly fullTransactions: boolean
  /** How reverts are told. */
  readonly reverts: RevertForm
}

/** Block objects with the calls, each the parent of the next. */
export function formatSimulatedBlocks(
  { execution, node }: Pick<NodeContext, 'execution' | 'node'>,
  blocks: readonly SimulatedBlock[],
  outcomes: readonly (readonly SimulatedOutcome[])[],
  form: SimulationForm,
): { readonly [key: string]: Json }[] {
  let parent: BlockHeader | null = null
  return blocks.map(({ header, calls }, index) => {
    const own = outcomes[index] ?? []
    const transactions = calls.map((call, position) => unsignedTransaction(call, own[position], node.chainId))
    const receipts = receiptsOf(own)
    const roots = execution.bodyRoots(header.number, transactions, receipts)
    const made: BlockHeader = header.with({
      txTrieRoot: roots.transactions,
      receiptTrieRoot: roots.receipts,
      gasUsed: own.reduce((sum, { outcome }) => sum + outcome.gasUsed, 0n),
      logsBloom: createLogsBloom(own.flatMap(({ logs }) => logs)),
      ...(parent === null ? {} : { parentHash: parent.hash }),
    })
    parent = made
    const place = (position: number) => ({
      blockHash: made.hash,
      blockNumber: made.number,
      index: position,
    })
    const shown = transactions.map((transaction, position) =>
      form.fullTransactions
        ? // Nobody signed it.
          { ...formatTransaction(transaction, calls[position]?.from ?? NO_SENDER, place(position)), v: '0x0' }
        : toHex(transaction.hash),
    )
    return {
      ...formatDecodedBlock(new Block(made, transactions, []), 0n),
      transactions: shown,
      calls: formatCalls(made, transactions, own, form),
    }
  })
}

function receiptsOf(outcomes: readonly SimulatedOutcome[]): Receipt[] {
  let cumulativeGasUsed = 0n
  return outcomes.map(({ outcome: { status, gasUsed }, logs }) => {
    cumulativeGasUsed += gasUsed
    return {
      success: status === 'success',
      cumulativeGasUsed,
      gasUsed,
      logsBloom: createLogsBloom(logs),
      logs,
    }
  })
}

function formatCalls(
  header: BlockHeader,
  transactions: readonly Transaction[],
  outcomes: readonly SimulatedOutcome[],
  { traceTransfers, reverts }: SimulationForm,
): { readonly [key: string]: Json }[] {
  let logIndex = 0
  return transactions.flatMap(({ hash }, transactionIndex) => {
    const simulated = outcomes[transactionIndex]
    if (simulated === undefined) return []
    const { outcome } = simulated
    const succeeded = outcome.status === 'success'
    const logs = traceTransfers ? logsWithTransfers(simulated) : simulated.logs
    const place = {
      blockNumber: header.number,
      blockHash: header.hash,
      transactionHash: hash,
      transactionIndex,
    }
    return {
      returnData: outcome.status === 'failure' ? '0x' : toHex(outcome.output),
      logs: logs.map((log) => ({ ...formatLog(log, { ...place, logIndex: logIndex++ }), removed: false })),
      gasUsed: quantity(outcome.gasUsed),
      status: succeeded ? '0x1' : '0x0',
      ...(succeeded ? {} : { error: { ...toErrorObject(errorOf(outcome), reverts) } }),
    }
  })
}

function errorOf(outcome: Exclude<SimulatedOutcome['outcome'], { status: 'success' }>) {
  return outcome.status === 'revert' ? revertError(outcome.output) : failureError(outcome.reason)
}
