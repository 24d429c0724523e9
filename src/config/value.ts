import { ConfigError } from './errors.ts'
import type { OptionalTextOption, OptionDefinition, TextOption } from './option.ts'
import { suggest } from './suggest.ts'

/** Stands for no value on the command line and in the environment. */
const NONE = 'none'

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
      return `integer from ${definition.minimum} to ${definition.maximum}`
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
  const meant =
    definition.kind === 'choice' && typeof value === 'string' ? suggest(value, definition.values) : undefined
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`
  return new ConfigError(
    'InvalidValue',
    `${source}: expected ${expectedValue(definition)}${exampleFor(definition)}, got ${JSON.stringify(value)}${hint}`,
  )
}

/** A value that has the form, where one is known: a word in capitals tells little. */
function exampleFor(definition: OptionDefinition): string {
  return definition.kind === 'text' && definition.pattern !== undefined
    ? ` (such as ${definition.default})`
    : ''
}
