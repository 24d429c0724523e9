import { readFileSync } from 'node:fs'
import { parse, YAMLError } from 'yaml'
import { suggest } from '../util/suggest.ts'
import { ConfigError } from './errors.ts'
import type { OptionDefinition } from './option.ts'
import { OPTION_KEYS, OPTIONS, type PartialConfig } from './schema.ts'
import { checkValue } from './value.ts'

/**
 * Options out of a configuration file.
 * @throws ConfigError UnreadableFile, and all of {@link parseConfigFile}
 */
export function readConfigFile(path: string): PartialConfig {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new ConfigError('UnreadableFile', `cannot read configuration file ${path}: ${message(error)}`, {
      cause: error,
    })
  }
  return parseConfigFile(text, path)
}

/**
 * Options out of the text of a YAML or JSON file: one mapping from file keys to values.
 * @param name of the file, for messages
 * @throws ConfigError InvalidFile, UnknownOption, InvalidValue
 */
export function parseConfigFile(text: string, name: string): PartialConfig {
  const content = parseYaml(text, name)
  if (content === null || content === undefined) return {}
  if (typeof content !== 'object' || Array.isArray(content)) {
    throw new ConfigError('InvalidFile', `${name}: expected options as key: value, got ${kindOf(content)}`)
  }
  const values: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(content)) {
    values[key] = checkValue(definitionOf(key, name), value, `${name}: ${key}`)
  }
  return values as PartialConfig
}

const FILE_KEYS: readonly string[] = OPTION_KEYS.filter((key) => !('inFile' in OPTIONS[key]))

function definitionOf(key: string, name: string): OptionDefinition {
  if (FILE_KEYS.includes(key)) return OPTIONS[key as keyof typeof OPTIONS]
  const meant = suggest(key, FILE_KEYS)
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`
  throw new ConfigError('UnknownOption', `${name}: ${key} is no option${hint}`)
}

// JSON is read by the YAML parser, too: it is a subset.
function parseYaml(text: string, name: string): unknown {
  try {
    return parse(text, { prettyErrors: true, uniqueKeys: true })
  } catch (error) {
    if (!(error instanceof YAMLError)) throw error
    throw new ConfigError('InvalidFile', `${name}: ${error.message.trimEnd()}`, { cause: error })
  }
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
