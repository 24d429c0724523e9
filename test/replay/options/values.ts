/** An option of a recording that cannot be replayed: its key or its value is not known. */
export class RecordingOptionError extends Error {
  override readonly name = 'RecordingOptionError'
  readonly code = 'RECORDING_OPTION'
}

/** Reads the text of a value. @throws RecordingOptionError for text that is no such value */
export type ValueParser<T> = (text: string, key: string) => T

const WORDS: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  on: true,
  false: false,
  no: false,
  off: false,
}
const WHOLE = /^[+-]?\d+$/
const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/

/** A switch as HOCON writes it: `true`, `yes`, `on` or the opposite. */
export const boolean: ValueParser<boolean> = (text, key) => WORDS[text] ?? refuse(key, text, 'true or false')

/** A whole number that a double holds. */
export const integer: ValueParser<number> = (text, key) => {
  const value = WHOLE.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(value) ? value : refuse(key, text, 'a whole number')
}

/** A number with or without a fraction. */
export const decimal: ValueParser<number> = (text, key) =>
  DECIMAL.test(text) ? Number(text) : refuse(key, text, 'a number')

/** Any text. */
export const text: ValueParser<string> = (value) => value

/** The elements of a list in one text: `[a, "b"]`, or a single element. */
export const list: ValueParser<readonly string[]> = (value) => {
  const [, inner = value] = /^\[(.*)\]$/s.exec(value) ?? []
  return inner
    .split(',')
    .map(unquoted)
    .filter((element) => element !== '')
}

/** Text without the quotation marks around it, and without white space outside of them. */
export function unquoted(value: string): string {
  const trimmed = value.trim()
  const [, , inner = trimmed] = /^(["'])(.*)\1$/s.exec(trimmed) ?? []
  return inner
}

function refuse(key: string, value: string, expected: string): never {
  throw new RecordingOptionError(`option ${key} of the recording: ${expected} expected, found ${value}`)
}
