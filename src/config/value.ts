import { ConfigError } from './errors.ts'
import type { OptionalTextOption, OptionDefinition, TextOption } from './option.ts'
import { suggest } from './suggest.ts'

/** Stands for no value on the command line and in the environment. */
const NONE = 'none'
/** What people write behind numbers. */
const MULTIPLES: Readonly<Record<string, number>> = { k: 1e3, m: 1e6 }

/**
 * The value of an option out of a file, where values have types.
 * @param source where the value stands, for the message: a file key
 * @throws ConfigError InvalidValue
 */
export function checkValue(definition: OptionDefinition, value: unknown, source: string): unknown {
  const fits = isOfKind(definition, value)
  if (!fits) throw refused(definition, value, source)
  return value
}

/**
 * The value of an option out of text: a flag's argument or an environment variable.
 * @param source where the text stands, for the message: a flag or an environment name
 * @throws ConfigError InvalidValue
 */
export function parseValue(definition: OptionDefinition, text: string, source: string): unknown {
  const value = fromText(definition, text)
  if (value === undefined || !isOfKind(definition, value)) throw refused(definition, text, source)
  return value
}

/** The values that an option accepts, e.g. `integer from 0 to 65535`. */
export function expectedValue(definition: OptionDefinition): string {
  switch (definition.kind) {
    case 'integer':
      return `integer from ${definition.minimum} to ${definition.maximum}${definition.unit === undefined ? '' : `, in ${definition.unit}`}`
    case 'boolean':
      return 'true or false'
    case 'choice':
      return `one of ${definition.values.join(', ')}`
    case 'list':
      return 'list of texts'
    case 'text':
      return textForm(definition)
    case 'optionalText':
      return `${textForm(definition)} or ${NONE}`
  }
}

function textForm({ pattern, placeholder }: TextOption | OptionalTextOption): string {
  return pattern === undefined ? 'text' : `text of the form ${placeholder}`
}

function fromText(definition: OptionDefinition, text: string): unknown {
  switch (definition.kind) {
    case 'integer':
      return /^-?\d+$/.test(text.trim()) ? Number(text) : undefined
    case 'boolean':
      return { true: true, false: false }[text.trim().toLowerCase()]
    case 'list':
      return text
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== '')
    case 'optionalText':
      return text === NONE ? null : text
    default:
      return text
  }
}

function isOfKind(definition: OptionDefinition, value: unknown): boolean {
  switch (definition.kind) {
    case 'integer':
      return Number.isSafeInteger(value) && isBetween(value as number, definition.minimum, definition.maximum)
    case 'boolean':
      return typeof value === 'boolean'
    case 'choice':
      return typeof value === 'string' && definition.values.includes(value)
    case 'list':
      return Array.isArray(value) && value.every((item) => typeof item === 'string')
    case 'optionalText':
      return value === null || isText(value, definition.pattern)
    case 'text':
      return isText(value, definition.pattern)
  }
}

function isText(value: unknown, pattern: RegExp | undefined): boolean {
  return typeof value === 'string' && value !== '' && (pattern === undefined || pattern.test(value))
}

function isBetween(value: number, minimum: number, maximum: number): boolean {
  return value >= minimum && value <= maximum
}

function refused(definition: OptionDefinition, value: unknown, source: string): ConfigError {
  const meant = typeof value === 'string' ? meantBy(definition, value) : undefined
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`
  return new ConfigError(
    'InvalidValue',
    `${source}: expected ${expectedValue(definition)}${exampleFor(definition)}, got ${JSON.stringify(value)}${hint}`,
  )
}

function meantBy(definition: OptionDefinition, text: string): string | undefined {
  if (definition.kind === 'choice') return suggest(text, definition.values)
  if (definition.kind !== 'integer') return undefined
  const digits = inDigits(text)
  return digits !== undefined && isOfKind(definition, Number(digits)) ? digits : undefined
}

/** A number as other programs take it, e.g. `30M`, `1e6`, `30_000_000` or `0x1c9c380`, in digits; undefined for none. */
function inDigits(text: string): string | undefined {
  const [, plain = '', suffix = ''] = /^([\d_,.]+?|\d+e\d{1,2}|0x[\da-f]+)([km]?)$/i.exec(text.trim()) ?? []
  const number = Number(plain.replace(/[_,]/g, '') || Number.NaN) * (MULTIPLES[suffix.toLowerCase()] ?? 1)
  return Number.isSafeInteger(number) ? String(number) : undefined
}

/** A value that has the form, where one is known: a word in capitals tells little. */
function exampleFor(definition: OptionDefinition): string {
  return definition.kind === 'text' && definition.pattern !== undefined
    ? ` (such as ${definition.default})`
    : ''
}
