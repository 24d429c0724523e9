import { createRequire } from 'node:module'
import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino'
import { HIDDEN } from '../util/hidden.ts'
import { LogOutput, STDERR, type TextOutput } from './logOutput.ts'

/** Writes log entries: an object of fields, then a constant message. */
export type Logger = PinoLogger

/** Minimum severity of entries to be written. */
export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

/** Children keep the level that they were created with, so that changing it requires a list of them. */
const FAMILIES = new WeakMap<Logger, Set<Logger>>()
const OUTPUTS = new WeakMap<Logger, TextOutput>()

/** Changes the level of a logger of {@link createLogger} and of all its children. */
export function setLogLevel(logger: Logger, level: LogLevel): void {
  for (const each of FAMILIES.get(logger) ?? [logger]) each.level = level
}

/** Entries of a logger of {@link createLogger} and of its children that could not be written. */
export function lostEntries(logger: Logger): number {
  const output = OUTPUTS.get(logger)
  return output instanceof LogOutput ? output.lost : 0
}

/** Options of a logger. */
export type LoggerOptions = {
  /** Minimum level. */
  readonly level: LogLevel
  /** `auto`: pretty on a terminal, JSON elsewhere. */
  readonly format: 'auto' | 'pretty' | 'json'
  /** Output; standard error by default. */
  readonly output?: TextOutput
}

/**
 * Fields that never reach the log: keys of accounts and of the service.
 * The path of an HTTP request carries an API key and is not logged at all.
 */
const SECRETS = ['privateKey', 'passphrase', 'apiKey', 'key', 'authorization', 'coinbaseSecret']
const REDACTED_FIELDS = SECRETS.flatMap((name) => [name, `*.${name}`])

/**
 * A logger of one line per entry. Children are created with `logger.child({ part: 'chain' })`; `part` is at
 * the beginning of a pretty line.
 *
 * Writing is synchronous, so that the last entries before the end of the process are not lost; hot paths
 * write no entries at level info. An entry that cannot be written is left out, and their number is logged when the
 * output takes entries again.
 */
export function createLogger({ level, format, output = new LogOutput(STDERR) }: LoggerOptions): Logger {
  const pretty = format === 'pretty' || (format === 'auto' && output.isTTY === true)
  const form = pretty ? prettyForm(output) : null
  const destination: DestinationStream = {
    write(line) {
      output.write(form === null ? line : form(line))
      const lines = output instanceof LogOutput ? output.takeLosses() : 0
      if (lines > 0) logger.warn({ lines }, 'lines of this log are missing: they could not be written')
    },
  }
  const redact = { paths: REDACTED_FIELDS, censor: HIDDEN }
  const family = new Set<Logger>()
  const onChild = (child: Logger) => {
    family.add(child)
  }
  const logger = pino(
    { level, base: null, redact, timestamp: pino.stdTimeFunctions.isoTime, onChild },
    destination,
  )
  family.add(logger)
  FAMILIES.set(logger, family)
  OUTPUTS.set(logger, output)
  return logger
}

function prettyForm(output: TextOutput): (line: string) => string {
  // Loaded where it is wanted: logs of services are JSON.
  const pretty = createRequire(import.meta.url)('pino-pretty') as typeof import('pino-pretty')
  return pretty.prettyFactory({
    colorize: output.isTTY === true,
    singleLine: true,
    ignore: 'part',
    translateTime: 'SYS:HH:MM:ss.l',
    messageFormat: '{if part}{part}: {end}{msg}',
  })
}
