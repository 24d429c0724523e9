import type { BlockHeader } from '../../chain/codec/header.ts'
import type { CallFailure, CallRequest } from '../../execution/callTypes.ts'
import { fromHex, toHex } from '../../util/bytes.ts'
import type { NodeContext } from '../context.ts'
import type { CallReport, ExecutionSummary, InvolvedContract } from './executionReports.ts'
import { summarizeTrace, type TraceSummary } from './summarizeTrace.ts'

const NO_DATA = '0x'
const NOBODY = Buffer.alloc(20)

/** The form of trace that reports are made of. */
export const REPORT_TRACE = { tracer: 'calls', onlyTopCall: false, withLog: false } as const

/**
 * Reports a call that was executed, which is traced for that on the same state.
 * @param answer what it was answered with: output or gas as 0x hex, or why it failed
 */
export function reportCall(
  context: NodeContext,
  method: string,
  header: BlockHeader,
  request: CallRequest,
  answer: string | CallFailure,
): void {
  if (context.reports === undefined) return
  const summary = summarizeCall(context, header, request, answer)
  const report: CallReport = { kind: 'call', method, gasLimit: request.gas, block: header.number, summary }
  context.reports.report(report)
}

function summarizeCall(
  context: NodeContext,
  header: BlockHeader,
  request: CallRequest,
  answer: string | CallFailure,
): ExecutionSummary {
  const traced = traceOf(context, header, request)
  const summary = traced ?? withoutTrace(request)
  const contracts = involvedContracts(context, header, summary.accounts)
  if (typeof answer === 'string') return { ...summary, contracts, error: null, isRevert: false }
  const isRevert = answer.status === 'revert'
  return {
    ...summary,
    contracts,
    isRevert,
    error:
      answer.status === 'failure' ? answer.reason : isRevert ? 'execution reverted' : 'insufficient funds',
    output: isRevert ? toHex(answer.output) : NO_DATA,
  }
}

/** Calls that cannot run at all, as without the funds that they send, have no trace; nor has one that is too large. */
function traceOf(context: NodeContext, header: BlockHeader, request: CallRequest): TraceSummary | null {
  try {
    const [text] = context.tracing.call(header, request, REPORT_TRACE).texts
    return text === undefined ? null : summarizeTrace(text)
  } catch {
    return null
  }
}

function withoutTrace({ from, to, value, data }: CallRequest): TraceSummary {
  const receiver = to === null ? null : toHex(to)
  return {
    from: toHex(from ?? NOBODY),
    to: receiver,
    created: null,
    value,
    input: toHex(data),
    gasUsed: 0n,
    error: null,
    isRevert: false,
    output: NO_DATA,
    console: [],
    moreConsole: 0,
    accounts: receiver === null ? [] : [receiver],
  }
}

/** The code of accounts at a block. */
export function involvedContracts(
  { state, execution }: NodeContext,
  header: BlockHeader,
  accounts: readonly string[],
): InvolvedContract[] {
  const view = state.at(header)
  return accounts.map((account) => {
    const address = fromHex(account)
    return {
      address: account,
      code: view.code(address),
      isPrecompiled: execution.isPrecompiled(header, address),
    }
  })
}
