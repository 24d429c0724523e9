import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino'
import { PinoPretty } from 'pino-pretty'
import { HIDDEN } from '../util/hidden.ts'

/** Writes log entries: an object of fields, then a constant message. */
export type Logger = PinoLogger

/** Minimum severity of entries to be written. */
export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

/** Children keep the level that they were created with, so that changing it requires a list of them. */
const FAMILIES = new WeakMap<Logger, Set<Logger>>()

/** Changes the level of a logger of {@link createLogger} and of all its children. */
export function setLogLevel(logger: Logger, level: LogLevel): void {
  for (const each of FAMILIES.get(logger) ?? [logger]) each.level = level
}

/** Options of a logger. */
export type LoggerOptions = {
  /** Minimum level. */
  readonly level: LogLevel
  /** `auto`: pretty on a terminal, JSON elsewhere. */
  readonly format: 'auto' | 'pretty' | 'json'
  /** Output; standard error by default. */
  readonly output?: NodeJS.WritableStream & { readonly isTTY?: boolean }
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
 * write no entries at level info.
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
