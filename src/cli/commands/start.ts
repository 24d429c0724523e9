import { SocketLibraryError } from '../../../native/sockets/binaries.mjs'
import { ConfigError } from '../../config/errors.ts'
import { type Config, OPTION_KEYS } from '../../config/schema.ts'
import { ListenError } from '../../front/listener.ts'
import { TlsError } from '../../front/tls.ts'
import { createNode, type RunningNode } from '../../node/createNode.ts'
import { openMemoryFolder } from '../../node/memoryFolder.ts'
import type { PeerReport } from '../../node/peers/messages.ts'
import { createLogger, type Logger } from '../../observe/logger.ts'
import { createSteadyClock } from '../../util/steadyClock.ts'
import { startBanner } from '../banner.ts'
import { type CommandContext, type CommandStreams, defineCommand } from '../command.ts'
import { fitEngine } from '../engine.ts'
import { CommandError } from '../errors.ts'
import { EXIT_CODES, type ExitCode } from '../exitCodes.ts'
import { untilInterrupted } from '../interruption.ts'
import { migrateConfigured } from '../migration.ts'
import { notifySupervisor } from '../supervisor.ts'
import { createSyncDisplay } from '../syncDisplay.ts'
import { readVersion } from '../version.ts'

/** `rhizome start`: runs the node until it is interrupted. */
export const start = defineCommand({
  name: 'start',
  summary: 'run the node',
  details:
    'Ends cleanly on Ctrl-C or SIGTERM, at once on a second one, and when its terminal is closed. Without a terminal SIGHUP has it read its configuration again.',
  files: 'none',
  printsNotices: true,
  options: OPTION_KEYS,
  extra: {},
  run: async (context) => {
    const memory = context.config.inMemory ? openMemoryFolder() : null
    const placed = (config: Config) => (memory === null ? config : { ...config, dataDir: memory.path })
    try {
      return await run({
        ...context,
        config: placed(context.config),
        reloadConfig: () => placed(context.reloadConfig()),
      })
    } finally {
      memory?.remove()
    }
  },
})

type StartContext = Pick<
  CommandContext<Record<never, never>>,
  'config' | 'reloadConfig' | 'stdout' | 'stderr'
>

async function run({ config, reloadConfig, stdout, stderr }: StartContext): Promise<ExitCode> {
  fitEngine(config)
  const version = readVersion()
  const logger = createLogger({ level: config.logLevel, format: config.logFormat, output: stderr })
  if (!(await bootstrapped(config, logger, { stderr }))) return EXIT_CODES.ok
  if ((await migrateConfigured(config, logger, { stderr })) === null) return EXIT_CODES.ok
  const log = logger.child({ part: 'node' })
  let running: RunningNode | null = null
  const reload = () => {
    if (running !== null) reconfigure(running, reloadConfig, log)
  }
  const interrupted = untilInterrupted(reload)
  const display = createSyncDisplay(stderr, logger.child({ part: 'sync' }), createSteadyClock())
  const onPeers = ({ sync, network }: PeerReport) => display.update(sync, network.peers.length)
  // Nothing that waits for a terminal: a node goes on where nobody reads what it prints.
  const terminal = { isTTY: isTerminal(stdout), write: (text: string) => stdout.write(text) }
  const node = await createNode({ config, version, logger, terminal, onPeers }).catch(describeStart)
  running = node
  try {
    stdout.write(startBanner(node, config, version))
    const ready = notifySupervisor('READY=1')
    const signal = await Promise.race([interrupted, node.failed])
    await ready
    display.end()
    log.info({ signal }, 'the node stops')
    await notifySupervisor('STOPPING=1')
  } finally {
    await node.stop()
  }
  return EXIT_CODES.ok
}

function isTerminal(stdout: NodeJS.WritableStream): boolean {
  return 'isTTY' in stdout && stdout.isTTY === true
}

/** Applies a changed configuration; an invalid one is rejected as a whole. */
function reconfigure(node: RunningNode, reloadConfig: () => Config, log: Logger): void {
  try {
    const { applied, afterRestart } = node.reconfigure(reloadConfig())
    log.info({ applied }, 'the configuration was read again')
    if (afterRestart.length > 0) log.warn({ afterRestart }, 'these options count after a restart only')
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof TlsError)) throw error
    log.error({ error: error.message }, 'the configuration was refused, the one from before stays')
  }
}

function describeStart(error: unknown): never {
  if (error instanceof TlsError) {
    const message = `${error.message} (--tls-cert, --tls-key)`
    throw new CommandError('Failed', message, undefined, { cause: error })
  }
  if (error instanceof SocketLibraryError) {
    throw new CommandError('Failed', error.message, undefined, { cause: error })
  }
  if (error instanceof ListenError) {
    const message = `${error.message} Another --http-port, or 0 for any free one, may help.`
    throw new CommandError('Failed', message, undefined, { cause: error })
  }
  throw error
}

/** As `bootstrap`, which is loaded with all of snapshots where there is one to begin with. */
async function bootstrapped(
  config: Config,
  logger: Logger,
  streams: Pick<CommandStreams, 'stderr'>,
): Promise<boolean> {
  if (config.bootstrap === null) return true
  const { bootstrap } = await import('../bootstrapFromSnapshot.ts')
  return await bootstrap(config, logger, streams)
}
