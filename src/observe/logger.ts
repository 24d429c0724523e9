import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino'
import { PinoPretty } from 'pino-pretty'

/** Writes log entries: an object of facts, then a constant message. */
export type Logger = PinoLogger

/** How a logger writes. */
export type LoggerOptions = {
  /** Least severe level that is written. */
  readonly level: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
  /** `auto`: pretty on a terminal, JSON elsewhere. */
  readonly format: 'auto' | 'pretty' | 'json'
  /** Where entries go; the standard error output unless a test says otherwise. */
  readonly output?: NodeJS.WritableStream & { readonly isTTY?: boolean }
}

/**
 * Fields that never reach the log: keys of accounts and of the service.
 * The path of an HTTP request carries an API key and is not logged at all.
 */
const REDACTED_FIELDS = ['privateKey', 'passphrase', 'apiKey', '*.privateKey', '*.passphrase', '*.apiKey']

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
  const redact = { paths: REDACTED_FIELDS, censor: '[hidden]' }
  return pino({ level, base: null, redact, timestamp: pino.stdTimeFunctions.isoTime }, destination)
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
