import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { isDevelopmentNetwork } from '../../config/networkSpec.ts'
import type { Config } from '../../config/schema.ts'
import type { Logger } from '../../observe/logger.ts'
import type { NodeContext } from '../../rpc/context.ts'
import type { DescribeFailure } from '../../rpc/reports/executionReports.ts'
import { NodeError } from '../errors.ts'
import type { DevelopmentReports } from './developmentReports.ts'
import { FailedCalls } from './failedCalls.ts'
import type { Verbosity, WorkerReports } from './wantedReports.ts'
import { WorkerChannel } from './workerChannel.ts'

/** Takes lines for people. */
export interface ReportTerminal {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** The reports of executions for developers. */
export interface NodeReports {
  /** null where nothing is written. */
  readonly reports: DevelopmentReports | null
  /** Puts failures in words for senders; null where they get none (decisions.md D35). */
  readonly describeFailure: DescribeFailure | null
  /** Artifacts of the project for the node's page; null on a node that is not of developers. */
  readonly projectArtifacts: NonNullable<NodeContext['projectArtifacts']> | null
  /** The last calls that failed, for the node's page; null on a node that is not of developers. */
  readonly failedCalls: NonNullable<NodeContext['failedCalls']> | null
  /** The reports of workers; null where they make none. */
  readonly ofWorkers: WorkerReports | null
  /** Takes no more from workers, and writes what waits. */
  close(): Promise<void>
}

const NOTHING: NodeReports = {
  reports: null,
  describeFailure: null,
  projectArtifacts: null,
  failedCalls: null,
  ofWorkers: null,
  close: async () => undefined,
}
/** Prefix of Hardhat's errors. */
const PREFIX = 'VM Exception while processing transaction: '

/**
 * Opens the reports of a development node. Where none are written nothing is loaded for that.
 * @param terminal where lines go; null writes entries of the log
 * @throws NodeError `PROJECT` for a project that is no folder
 */
export async function openReports(
  config: Config,
  terminal: ReportTerminal | null,
  logger: Logger,
): Promise<NodeReports> {
  assertProject(config)
  const verbosity = verbosityOf(config, terminal)
  const answersSenders = config.clientName === 'hardhat'
  if (!isOfDevelopers(config)) return NOTHING
  const written =
    verbosity === null && !answersSenders
      ? { reports: null, describeFailure: null }
      : await openWritten(config, terminal, { verbosity, answersSenders, logger })
  return {
    ...written,
    ...openForPage(written.reports, verbosity),
    projectArtifacts: artifactsForPage(config),
  }
}

/** What the page is told of calls: the workers report those that fail, whoever else looks. */
function openForPage(
  reports: DevelopmentReports | null,
  verbosity: Verbosity | null,
): Pick<NodeReports, 'failedCalls' | 'ofWorkers' | 'close'> {
  const failed = new FailedCalls()
  const channel = new WorkerChannel(verbosity ?? 'failedCalls', (report) => {
    failed.add(report)
    reports?.report(report)
  })
  return {
    failedCalls: () => failed.list(),
    ofWorkers: channel.ofWorkers,
    close: async () => {
      channel.close()
      await reports?.close()
    },
  }
}

async function openWritten(
  config: Config,
  terminal: ReportTerminal | null,
  wanted: {
    readonly verbosity: Verbosity | null
    readonly answersSenders: boolean
    readonly logger: Logger
  },
): Promise<Pick<NodeReports, 'reports' | 'describeFailure'>> {
  const { verbosity, answersSenders, logger } = wanted
  const [{ ContractProject }, { artifactFolders }] = await Promise.all([
    import('../../abi/contractProject.ts'),
    import('../../abi/projectFolders.ts'),
  ])
  const given = config.project
  const log = logger.child({ part: 'contracts' })
  const project = new ContractProject(
    artifactFolders(resolve(given ?? '.'), given !== null),
    (file, reason) =>
      log.warn({ file, reason }, 'an artifact of the project cannot be read: build the project again'),
  )
  const { DevelopmentReports } = await import('./developmentReports.ts')
  const { ExecutionDescriber } = await import('./describedExecution.ts')
  const describer = new ExecutionDescriber(project)
  return {
    reports:
      verbosity === null
        ? null
        : new DevelopmentReports({
            verbosity,
            project,
            output:
              terminal === null || !isForPeople(config, terminal)
                ? { log }
                : { write: (text) => terminal.write(text), isColored: isColored(terminal) },
            log,
          }),
    describeFailure: answersSenders
      ? async (failed) => inHardhat(failed, await describer.failure(failed))
      : null,
  }
}

/** Loads what reads them when the page asks first. */
function artifactsForPage({ project }: Config): NodeReports['projectArtifacts'] {
  const load = async () => {
    const { createPageArtifacts } = await import('../../abi/pageArtifacts.ts')
    const { artifactFolders } = await import('../../abi/projectFolders.ts')
    return createPageArtifacts(artifactFolders(resolve(project ?? '.'), project !== null))
  }
  let loaded: ReturnType<typeof load> | null = null
  return async () => {
    loaded ??= load()
    return (await loaded)()
  }
}

/** Hardhat has other words for a revert without data, for a want of gas and for an instruction that is none. */
function inHardhat({ isRevert, output }: Parameters<DescribeFailure>[0], text: string): string {
  if (isRevert) return output === '0x' ? 'Transaction reverted without a reason' : `${PREFIX}${text}`
  if (text.includes('out of gas')) return 'Transaction ran out of gas'
  return `${PREFIX}${text.startsWith('invalid opcode') ? 'invalid opcode' : text}`
}

function isOfDevelopers({ profile, network, forkUrl }: Config): boolean {
  return profile === 'dev' && isDevelopmentNetwork({ name: network, fork: forkUrl })
}

/** null for nothing. */
function verbosityOf({ verbosity }: Config, terminal: ReportTerminal | null): Verbosity | null {
  if (verbosity === 'auto') return terminal?.isTTY === true ? 'transactions' : null
  return verbosity === 'off' ? null : verbosity
}

/** The form of log entries counts for reports as well. */
function isForPeople({ logFormat }: Config, { isTTY }: ReportTerminal): boolean {
  return logFormat === 'pretty' || (logFormat === 'auto' && isTTY === true)
}

function isColored({ isTTY }: ReportTerminal): boolean {
  const { NO_COLOR = '' } = process.env
  return isTTY === true && NO_COLOR === ''
}

function assertProject({ project }: Config): void {
  if (project === null) return
  const found = statSync(resolve(project), { throwIfNoEntry: false })
  if (found?.isDirectory() !== true) throw new NodeError('PROJECT', `--project: ${project} is no folder`)
}
