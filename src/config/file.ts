import { readFileSync } from 'node:fs'
import { parseYaml, YamlError } from '../util/yaml.ts'
import { ConfigError } from './errors.ts'
import type { OptionDefinition } from './option.ts'
import { nodeSchema, OptionNames, type OptionSchema } from './optionNames.ts'
import type { PartialConfig } from './schema.ts'
import { checkValue } from './value.ts'

/**
 * Reads options from a configuration file.
 * @throws ConfigError UnreadableFile, and all of {@link parseConfigFile}
 */
export function readConfigFile(path: string, schema: OptionSchema = nodeSchema()): PartialConfig {
  return parseConfigFile(readText(path, 'configuration file'), path, schema)
}

/**
 * The content of a file that an option names.
 * @param what it is, for messages
 * @throws ConfigError UnreadableFile
 */
export function readText(path: string, what: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new ConfigError('UnreadableFile', `cannot read ${what} ${path}: ${message(error)}`, {
      cause: error,
    })
  }
}

/**
 * Parses options from the content of a YAML or JSON file: one mapping from file keys to values.
 * @param name of the file, for messages
 * @throws ConfigError InvalidFile, UnknownOption, InvalidValue, Conflict for an option under two names
 */
export function parseConfigFile(
  text: string,
  name: string,
  schema: OptionSchema = nodeSchema(),
): PartialConfig {
  const content = parseMapping(text, name, 'options as key: value')
  const { options } = schema
  const fileKeys = Object.keys(options).filter((key) => options[key]?.inFile !== false)
  const inFile = (text: string) => `${name}: ${text}`
  const names = new OptionNames(
    { ...schema, onWarning: (text) => schema.onWarning(inFile(text)) },
    (key) => key,
    fileKeys,
  )
  const values: Record<string, unknown> = {}
  for (const [given, value] of Object.entries(content)) {
    const key = takeName(names, given, inFile)
    values[key] = checkValue(options[key] as OptionDefinition, value, inFile(given))
  }
  return values as PartialConfig
}

function takeName(names: OptionNames, given: string, inFile: (text: string) => string): string {
  let key: string | undefined
  try {
    key = names.take(given)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    throw new ConfigError(error.code, inFile(error.message), { cause: error })
  }
  if (key !== undefined) return key
  const meant = names.suggest(given)
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`
  throw new ConfigError('UnknownOption', inFile(`${given} is no option${hint}`))
}

/**
 * Parses a YAML or JSON document as a mapping; empty for an empty one.
 * @param name of the file, for messages
 * @param expected what the file should hold, for messages
 * @throws ConfigError InvalidFile
 */
export function parseMapping(text: string, name: string, expected: string): Record<string, unknown> {
  const content = contentOf(text, name)
  if (content === null || content === undefined) return {}
  if (typeof content !== 'object' || Array.isArray(content)) {
    throw new ConfigError('InvalidFile', `${name}: expected ${expected}, got ${kindOf(content)}`)
  }
  return content as Record<string, unknown>
}

// The YAML parser also reads JSON, which is a subset.
function contentOf(text: string, name: string): unknown {
  try {
    return parseYaml(text)
  } catch (error) {
    if (!(error instanceof YamlError)) throw error
    throw new ConfigError('InvalidFile', `${name}: ${error.message.trimEnd()}`, { cause: error })
  }
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
