import type { Config } from '../../config/schema.ts'
import type { ExecutionReport } from '../../rpc/reports/executionReports.ts'

/** Levels of reports; each has what comes before it. */
export type Verbosity = Exclude<Config['verbosity'], 'auto' | 'off'>

/** The reports that workers send over a channel, by its name. */
export interface WorkerReports {
  readonly channel: string
  /** `failedCalls` where only the page looks. */
  readonly verbosity: Verbosity | 'failedCalls'
}

/** True when a report is one of a level: the threads that make reports ask first, so that no other crosses. */
export function isWanted(report: ExecutionReport, verbosity: WorkerReports['verbosity']): boolean {
  if (verbosity === 'failedCalls') return report.kind === 'call' && report.summary.error !== null
  if (verbosity === 'calls' || report.kind === 'refusal' || report.kind === 'unknownMethod') return true
  if (report.kind === 'emptyBlocks') return false
  const { error, console } = report.summary
  if (error !== null || console.length > 0) return true
  return report.kind === 'transaction' && verbosity === 'transactions'
}
