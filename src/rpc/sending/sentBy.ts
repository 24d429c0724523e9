import { keccak256 } from '../../native/crypto.ts'
import type { SendOutcome } from '../../txpool/interface.ts'
import { toHex } from '../../util/bytes.ts'
import type { NodeContext } from '../context.ts'
import { RpcError } from '../errors.ts'
import { REPORT_TRACE } from '../reports/executedCall.ts'
import { summarizeTrace } from '../reports/summarizeTrace.ts'
import { findTransaction, traceTransactions } from '../tracers/traceBlock.ts'

/**
 * A context whose sends are known to be by a method: reports name it, and where senders get the reason (decisions.md D35) a
 * transaction that was mined at once and failed is an error. The context itself where neither is wanted.
 * @param answersReceipts whether the method's answer shows that a transaction failed
 */
export function sentBy(context: NodeContext, method: string, answersReceipts = false): NodeContext {
  const { reports, describeFailure, commands } = context
  const answersFailure = describeFailure !== undefined && !answersReceipts
  if (reports?.sending === undefined && !answersFailure) return context
  const sendTransaction = async (encoded: Buffer): Promise<SendOutcome> => {
    const hash = toHex(keccak256(encoded))
    reports?.sending?.(hash, method)
    const outcome = await commands.sendTransaction(encoded)
    if (outcome.status === 'refused')
      reports?.report({ kind: 'refusal', method, hash, reason: explained(outcome) })
    else if (answersFailure) await assertSucceeded(context, outcome.hash)
    return outcome
  }
  return { ...context, commands: { ...commands, sendTransaction } }
}

/** The reason of a refusal, with what helps a developer where its words mislead. */
function explained({ reason, stats }: Extract<SendOutcome, { status: 'refused' }>): string {
  const { transactionGasLimit: limit, blockGasLimit } = stats
  if (limit === undefined || blockGasLimit === undefined) return reason
  return `${reason}: one transaction has ${limit} of the block's ${blockGasLimit} (RSKIP144); --transaction-gas gives it more`
}

/**
 * Sends by a method, and reports why it was refused before the pool had it: what a client of another habit meets first,
 * such as the type of its transactions, is on the terminal as well.
 * @throws whatever sending throws
 */
export async function reportingRefusals<T>(
  { reports }: NodeContext,
  method: string,
  send: () => T | Promise<T>,
): Promise<T> {
  try {
    return await send()
  } catch (error) {
    if (error instanceof RpcError && error.kind === 'invalidParams')
      reports?.report({ kind: 'refusal', method, hash: null, reason: error.message })
    throw error
  }
}

/**
 * Refuses with the reason, as Hardhat does, where a transaction is in a block and failed.
 * @throws RpcError -32603
 */
async function assertSucceeded(context: NodeContext, hash: Buffer): Promise<void> {
  const { describeFailure } = context
  if (describeFailure === undefined) return
  const failure = failureOf(context, hash)
  if (failure === null) return
  const message = await describeFailure(failure)
  throw new RpcError('internal', message, { data: { message, txHash: toHex(hash), data: failure.output } })
}

/** The reason of a mined transaction's failure; null where it is not mined or succeeded. */
function failureOf(context: NodeContext, hash: Buffer) {
  // The block is newer than what this thread reads otherwise.
  context.refresh()
  try {
    const found = findTransaction(context, hash)
    if (found === null) return null
    const { block, index } = found
    if (context.chain.receipts(block)?.[index]?.success !== false) return null
    const [trace] = traceTransactions(context, block, REPORT_TRACE, [index])
    const [text] = trace?.texts ?? []
    return text === undefined
      ? { error: 'transaction failed', isRevert: false, output: '0x' }
      : summarizeTrace(text)
  } finally {
    context.release()
  }
}
