import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino'
import { PinoPretty } from 'pino-pretty'
import { HIDDEN } from '../util/hidden.ts'

/** Writes log entries: an object of facts, then a constant message. */
export type Logger = PinoLogger

/** How severe entries have to be to be written. */
export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

/** Children keep the level that they were made with, so whoever changes it has to know them. */
const FAMILIES = new WeakMap<Logger, Set<Logger>>()

/** Changes the level of a logger of {@link createLogger} and of all its children. */
export function setLogLevel(logger: Logger, level: LogLevel): void {
  for (const each of FAMILIES.get(logger) ?? [logger]) each.level = level
}

/** How a logger writes. */
export type LoggerOptions = {
  /** Least severe level that is written. */
  readonly level: LogLevel
  /** `auto`: pretty on a terminal, JSON elsewhere. */
  readonly format: 'auto' | 'pretty' | 'json'
  /** Where entries go; the standard error output unless a test says otherwise. */
  readonly output?: NodeJS.WritableStream & { readonly isTTY?: boolean }
}

/**
 * Fields that never reach the log: keys of accounts and of the service.
 * The path of an HTTP request carries an API key and is not logged at all.
 */
const SECRETS = ['privateKey', 'passphrase', 'apiKey', 'key', 'authorization', 'coinbaseSecret']
const REDACTED_FIELDS = SECRETS.flatMap((name) => [name, `*.${name}`])

/**
 * A logger of one line per entry. Children are made with `logger.child({ part: 'chain' })`; `part`
 * stands at the front of a pretty line.
 *
 * Writing is synchronous, so that the last entries before the end of the process are not lost; the
 * hot paths write no entries at level info.
 */
export function createLogger({ level, format, output = process.stderr }: LoggerOptions): Logger {
  const pretty = format === 'pretty' || (format === 'auto' && output.isTTY === true)
  const destination: DestinationStream = pretty ? prettyStream(output) : output
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
  return logger
}

function prettyStream(output: NodeJS.WritableStream & { readonly isTTY?: boolean }): DestinationStream {
  return PinoPretty({
    destination: output,
    sync: true,
    colorize: output.isTTY === true,
    singleLine: true,
    ignore: 'part',
    translateTime: 'SYS:HH:MM:ss.l',
    messageFormat: '{if part}{part}: {end}{msg}',
  })
}
