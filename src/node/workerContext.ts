import { BroadcastChannel, type MessagePort } from 'node:worker_threads'
import { createLogger, type Logger, type LoggerOptions } from '../observe/logger.ts'
import type { Interrupt, NodeContext } from '../rpc/context.ts'
import type { ExecutionReports } from '../rpc/reports/executionReports.ts'
import type { ChainService } from './chainThread/chainService.ts'
import { createProxy } from './proxy/proxy.ts'
import { isWanted, type WorkerReports } from './terminal/wantedReports.ts'
import { openThreadContext, type ThreadContextOptions } from './threadContext.ts'

/** The context of the workers of a node. */
export interface WorkerContextOptions extends ThreadContextOptions {
  readonly log: Pick<LoggerOptions, 'level' | 'format'>
  /** Receiver of reports and the calls that it gets; absent where nobody looks. */
  readonly reports?: WorkerReports
}

let logger: Logger | null = null

/** Entry for the workers of `workers/worker.ts`: the stores of the node. */
export function openNodeContext(options: unknown, interrupt: Interrupt, chain: MessagePort): NodeContext {
  const given = options as WorkerContextOptions
  logger = createLogger(given.log).child({ part: 'rpc' })
  const { context } = openThreadContext(given, interrupt, createProxy<ChainService>(chain))
  return given.reports === undefined ? context : { ...context, reports: reportsOver(given.reports) }
}

function reportsOver({ channel: name, verbosity }: WorkerReports): ExecutionReports {
  let channel: BroadcastChannel | null = null
  const open = () => {
    channel = new BroadcastChannel(name)
    channel.unref()
    return channel
  }
  return {
    isOfFailures: verbosity === 'failedCalls',
    report: (report) => {
      if (isWanted(report, verbosity)) (channel ?? open()).postMessage(report)
    },
  }
}

/** The system does not let this thread wait for others: long requests slow down short ones. */
export function reportPriority(reason: string): void {
  logger?.warn({ reason }, 'the system refuses a lower priority for long requests')
}

/** Errors that no method expects. */
export function reportUnexpected(method: string, error: unknown): void {
  logger?.error({ method, err: error }, 'a request failed unexpectedly')
}
