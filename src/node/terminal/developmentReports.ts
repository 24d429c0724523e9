import type { ContractProject } from '../../abi/contractProject.ts'
import type { HeadNotice } from '../../filters/events.ts'
import type { Logger } from '../../observe/logger.ts'
import type { NodeContext } from '../../rpc/context.ts'
import type {
  CallReport,
  ExecutionReport,
  ExecutionReports,
  RefusalReport,
} from '../../rpc/reports/executionReports.ts'
import { reportBlocks } from '../../rpc/reports/reportedBlocks.ts'
import { type DescribedExecution, ExecutionDescriber } from './describedExecution.ts'
import { terminalText } from './terminalText.ts'
import { UnknownMethods } from './unknownMethods.ts'
import { isWanted, type Verbosity } from './wantedReports.ts'

/** Receiver of reports: lines for people, or entries of the log. */
export type ReportOutput =
  | { readonly write: (text: string) => void; readonly isColored: boolean }
  | { readonly log: Logger }

/** Transactions whose methods are kept until they are in a block. */
const MAX_SENT = 10_000
/** Bytes of the reports that wait to be put in words, about; more are left out, and their number is reported. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024
/** Bytes of a report beside its data, about. */
const REPORT_BYTES = 1024

/** Parts of {@link DevelopmentReports}. */
export interface DevelopmentReportsParts {
  readonly verbosity: Verbosity
  readonly output: ReportOutput
  readonly project: ContractProject
  /** Called once with what keeps a block from being reported. */
  readonly log: Logger
}

/** Reports of executions in the front thread, which is given those of workers. */
export class DevelopmentReports implements ExecutionReports {
  readonly #parts: DevelopmentReportsParts
  readonly #describer: ExecutionDescriber
  /** Methods by the hashes of transactions, oldest first. */
  readonly #sent = new Map<string, string>()
  readonly #unknown = new UnknownMethods()
  readonly #waiting: ExecutionReport[] = []
  #waitingBytes = 0
  #working: Promise<void> | null = null
  #leftOut = 0

  constructor(parts: DevelopmentReportsParts) {
    this.#parts = parts
    this.#describer = new ExecutionDescriber(parts.project)
  }

  sending(hash: string, method: string): void {
    this.#sent.set(hash, method)
    if (this.#sent.size <= MAX_SENT) return
    for (const oldest of this.#sent.keys()) {
      this.#sent.delete(oldest)
      return
    }
  }

  report(report: CallReport | RefusalReport): void {
    if (report.kind === 'refusal' && report.hash !== null) this.#sent.delete(report.hash)
    this.#add(report)
  }

  /** A transaction left the pool, as no block can have it. @param hash 0x hex */
  dropped(hash: string, reason: string): void {
    const method = this.#sent.get(hash) ?? null
    this.report({ kind: 'refusal', method, hash, reason: `it left the pool: ${reason}` })
  }

  unknown(method: string, reason: string): void {
    const report = this.#unknown.count(method, reason)
    if (report !== null) this.#add(report)
  }

  /** To be called after each change of the head, before the answer to what led to it. */
  headChanged(context: NodeContext, notice: HeadNotice): void {
    try {
      const methodOf = (hash: string) => this.#sent.get(hash) ?? null
      for (const report of reportBlocks(context, notice, methodOf)) {
        if (report.kind === 'transaction') this.#sent.delete(report.hash)
        this.#add(report)
      }
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'a block could not be reported')
    }
  }

  /** Writes what waits. */
  async close(): Promise<void> {
    await this.#working
  }

  #add(report: ExecutionReport): void {
    if (!isWanted(report, this.#parts.verbosity)) return
    const bytes = bytesOf(report)
    if (this.#waitingBytes + bytes > MAX_WAITING_BYTES) {
      this.#leftOut += 1
      return
    }
    this.#waiting.push(report)
    this.#waitingBytes += bytes
    this.#working ??= this.#work().finally(() => {
      this.#working = null
    })
  }

  async #work(): Promise<void> {
    for (let report = this.#waiting.shift(); report !== undefined; report = this.#waiting.shift()) {
      this.#waitingBytes -= bytesOf(report)
      try {
        const described = 'summary' in report ? await this.#describer.describe(report.summary) : null
        this.#write(report, described)
      } catch (error) {
        this.#parts.log.warn({ err: error }, 'an execution could not be described')
      }
      if (this.#leftOut > 0) {
        this.#parts.log.warn({ reports: this.#leftOut }, 'executions were not reported: there were too many')
        this.#leftOut = 0
      }
    }
  }

  #write(report: ExecutionReport, described: DescribedExecution | null): void {
    const { output } = this.#parts
    if ('write' in output) output.write(terminalText(report, described, output.isColored))
    else output.log.info(logFields(report, described), logMessage(report, described))
  }
}

/** Bytes that a report keeps, about. */
function bytesOf(report: ExecutionReport): number {
  if (!('summary' in report)) return REPORT_BYTES
  const { input, output, console, contracts } = report.summary
  const texts = [input, output, ...console].reduce((sum, text) => sum + text.length, 0)
  return REPORT_BYTES + texts + contracts.reduce((sum, { code }) => sum + code.length, 0)
}

function logMessage(report: ExecutionReport, described: DescribedExecution | null): string {
  switch (report.kind) {
    case 'refusal':
      return 'a transaction was refused'
    case 'emptyBlocks':
      return 'empty blocks were mined'
    case 'unknownMethod':
      return 'a method was asked for that there is not'
    case 'transaction':
      return described?.failure == null ? 'a transaction was mined' : 'a transaction failed'
    case 'call':
      return described?.failure == null ? 'a call was executed' : 'a call failed'
  }
}

/** The same as the lines for people, as fields. Wei and gas are decimal. */
function logFields(report: ExecutionReport, described: DescribedExecution | null): object {
  if (report.kind === 'emptyBlocks') return { first: report.first, last: report.last }
  if (report.kind === 'unknownMethod') {
    const { method, times, reason } = report
    return { ...(method === null ? {} : { method }), times, error: reason }
  }
  if (report.kind === 'refusal') {
    const { method, hash, reason } = report
    return {
      ...(method === null ? {} : { method }),
      ...(hash === null ? {} : { transaction: hash }),
      error: reason,
    }
  }
  const { summary, method, block } = report
  const { from, to, created, value, console } = summary
  const isTransaction = report.kind === 'transaction'
  return {
    method,
    ...(described?.contract == null ? {} : { contract: described.contract }),
    ...(described?.function == null ? {} : { function: described.function }),
    ...(isTransaction ? { transaction: report.hash } : {}),
    from,
    ...(to === null ? {} : { to }),
    ...(created === null ? {} : { created }),
    value: value.toString(),
    gasUsed: (isTransaction ? report.gasUsed : summary.gasUsed).toString(),
    gasLimit: report.gasLimit.toString(),
    block,
    ...(isTransaction ? { blockHash: report.blockHash } : {}),
    ...(described?.failure == null ? {} : { error: described.failure }),
    ...(console.length === 0 ? {} : { console: described?.console ?? [] }),
  }
}
