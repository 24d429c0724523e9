import { Block } from '../../chain/codec/block.ts'
import type { BlockHeader } from '../../chain/codec/header.ts'
import { createLogsBloom } from '../../chain/codec/logsBloom.ts'
import { encodeLogs, type Receipt } from '../../chain/codec/receipt.ts'
import type { RevertForm } from '../../config/revertForm.ts'
import type { SimulatedBlock, SimulatedOutcome, SimulationRefusal } from '../../execution/simulation.ts'
import { writeSimulatedLogs, writeSimulatedTransactions } from '../../native/objectText.ts'
import { toHex } from '../../util/bytes.ts'
import type { NodeContext } from '../context.ts'
import { RpcError, type RpcErrorKind, toErrorObject } from '../errors.ts'
import { blockText, membersOfBlock } from '../format/formatBlock.ts'
import { quantity } from '../format/quantity.ts'
import { RawJson } from '../json.ts'
import { failureError, revertError } from './revert.ts'
import { logsWithTransfers } from './transferLogs.ts'
import { unsignedTransaction } from './unsignedTransaction.ts'

const REFUSALS: Readonly<Record<SimulationRefusal, RpcErrorKind>> = {
  nonceTooLow: 'simulatedNonceTooLow',
  nonceTooHigh: 'simulatedNonceTooHigh',
  intrinsicGas: 'simulatedIntrinsicGas',
  funds: 'simulatedFunds',
  room: 'simulatedBlockFull',
  other: 'executionFailed',
}

/** Sender of calls that name none. */
const NO_SENDER = Buffer.alloc(20)

/** @throws RpcError when a call could be in no block: the request has no answer then */
export function assertExecutable(outcomes: readonly (readonly SimulatedOutcome[])[]): void {
  for (const { refusal, outcome } of outcomes.flat()) {
    if (refusal === null) continue
    const reason = outcome.status === 'failure' ? outcome.reason : outcome.status
    const { message } = new RpcError(REFUSALS[refusal])
    throw new RpcError(REFUSALS[refusal], refusal === 'other' ? reason : `${message}: ${reason}`)
  }
}

/** The parts of an answer beside the results. */
export interface SimulationForm {
  /** With a log for each payment of the native currency. */
  readonly traceTransfers: boolean
  /** With transactions in place of their hashes. */
  readonly fullTransactions: boolean
  /** The form of reverts. */
  readonly reverts: RevertForm
}

/** Block objects with the calls, each the parent of the next, as JSON text of an array. */
export function simulatedBlocksAnswer(
  { execution, node }: Pick<NodeContext, 'execution' | 'node'>,
  blocks: readonly SimulatedBlock[],
  outcomes: readonly (readonly SimulatedOutcome[])[],
  form: SimulationForm,
): RawJson {
  let parent: BlockHeader | null = null
  const texts = blocks.map(({ header, calls }, index) => {
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
    const block = new Block(made, transactions, [])
    const shown = form.fullTransactions
      ? transactionsText(block, calls)
      : transactions.map(({ hash }) => `"${toHex(hash)}"`).join(',')
    // Members of the block end with those of the simulation.
    return `${blockText(membersOfBlock(block, 0n), shown).slice(0, -1)},"calls":${callsText(block, own, form)}}`
  })
  return new RawJson(`[${texts.join(',')}]`)
}

function transactionsText(block: Block, calls: SimulatedBlock['calls']): string {
  const senders = Buffer.concat(calls.map(({ from }) => from ?? NO_SENDER))
  return writeSimulatedTransactions(block, block.encodedTransactions, senders).toString('latin1')
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

function callsText(
  block: Block,
  outcomes: readonly SimulatedOutcome[],
  { traceTransfers, reverts }: SimulationForm,
): string {
  let firstLog = 0
  const calls = block.transactions.flatMap(({ encoded }, index) => {
    const simulated = outcomes[index]
    if (simulated === undefined) return []
    const logs = traceTransfers ? logsWithTransfers(simulated) : simulated.logs
    const transaction = { blockHash: block.hash, blockNumber: block.number, index, encoded }
    const text = writeSimulatedLogs(transaction, encodeLogs(logs), firstLog).toString('latin1')
    firstLog += logs.length
    return callText(simulated.outcome, text, reverts)
  })
  return `[${calls.join(',')}]`
}

/** @param logs JSON texts of the logs with commas between */
function callText(outcome: SimulatedOutcome['outcome'], logs: string, reverts: RevertForm): string {
  const succeeded = outcome.status === 'success'
  const returnData = JSON.stringify(outcome.status === 'failure' ? '0x' : toHex(outcome.output))
  const rest = JSON.stringify({
    gasUsed: quantity(outcome.gasUsed),
    status: succeeded ? '0x1' : '0x0',
    ...(succeeded ? {} : { error: { ...toErrorObject(errorOf(outcome), reverts) } }),
  })
  return `{"returnData":${returnData},"logs":[${logs}],${rest.slice(1)}`
}

function errorOf(outcome: Exclude<SimulatedOutcome['outcome'], { status: 'success' }>) {
  return outcome.status === 'revert' ? revertError(outcome.output) : failureError(outcome.reason)
}
