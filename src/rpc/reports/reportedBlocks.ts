import type { Block } from '../../chain/codec/block.ts'
import type { HeadNotice } from '../../filters/events.ts'
import { toHex } from '../../util/bytes.ts'
import type { NodeContext } from '../context.ts'
import { traceTransactions } from '../tracers/traceBlock.ts'
import { involvedContracts, REPORT_TRACE } from './executedCall.ts'
import type { ExecutionReport, TransactionReport } from './executionReports.ts'
import { summarizeTrace } from './summarizeTrace.ts'

/** Transactions of one block that are reported; a developer looks at no more, and requests wait meanwhile. */
const MAX_TRANSACTIONS = 500

/**
 * What blocks that joined the chain did, by executing their transactions again. Runs in one turn of the event loop, so
 * that whoever sent a transaction has its lines before the answer, and on the states that the blocks were made on.
 * @param methodOf the method that sent a transaction, by its hash as 0x hex; null where that is not known
 */
export function reportBlocks(
  context: NodeContext,
  { enacted }: Pick<HeadNotice, 'enacted'>,
  methodOf: (hash: string) => string | null,
): ExecutionReport[] {
  const reports: ExecutionReport[] = []
  context.refresh()
  try {
    for (const { hash } of enacted) {
      const block = context.chain.blockByHash(hash)
      if (block === null) continue
      const transactions = reportTransactions(context, block, methodOf)
      if (transactions.length > 0) reports.push(...transactions)
      else addEmptyBlock(reports, block.number)
    }
  } finally {
    context.release()
  }
  return reports
}

function addEmptyBlock(reports: ExecutionReport[], number: number): void {
  const last = reports.at(-1)
  if (last?.kind === 'emptyBlocks' && last.last === number - 1) {
    reports[reports.length - 1] = { ...last, last: number }
  } else reports.push({ kind: 'emptyBlocks', first: number, last: number })
}

function reportTransactions(
  context: NodeContext,
  block: Block,
  methodOf: (hash: string) => string | null,
): TransactionReport[] {
  const wanted = block.transactions
    .flatMap((transaction, index) => (transaction.isRemasc ? [] : [index]))
    .slice(0, MAX_TRANSACTIONS)
  if (wanted.length === 0) return []
  const receipts = context.chain.receipts(block)
  return traceTransactions(context, block, REPORT_TRACE, wanted).flatMap(({ index, texts: [text] }) => {
    const transaction = block.transactions[index]
    const receipt = receipts?.[index]
    if (transaction === undefined || receipt === undefined || text === undefined) return []
    const { accounts, ...summary } = summarizeTrace(text)
    const hash = toHex(transaction.hash)
    const isFailed = !receipt.success
    return [
      {
        kind: 'transaction',
        method: methodOf(hash),
        hash,
        gasUsed: receipt.gasUsed,
        gasLimit: transaction.gasLimit,
        block: block.number,
        blockHash: toHex(block.hash),
        summary: {
          ...summary,
          // The receipt counts.
          error: isFailed ? (summary.error ?? 'transaction failed') : null,
          contracts: involvedContracts(context, block.header, accounts),
        },
      },
    ]
  })
}
