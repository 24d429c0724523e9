import { ConfigError } from './errors.ts'
import type { OptionDefinition } from './option.ts'
import { nodeSchema, OptionNames, type OptionSchema } from './optionNames.ts'
import { camelToEnvironmentName, type PartialConfig } from './schema.ts'
import { parseValue } from './value.ts'

const PREFIX = 'RHIZOME_'

/** Names that tests and benchmarks read, which are not options of the node. */
const RESERVED = /^RHIZOME_(VECTORS|TEST_|BENCH_)/

/**
 * Parses options from environment variables `RHIZOME_*`.
 * @throws ConfigError UnknownOption for another variable of that prefix, InvalidValue, Conflict for an option
 *   under two names
 */
export function parseEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  schema: OptionSchema = nodeSchema(),
): PartialConfig {
  const names = new OptionNames(schema, camelToEnvironmentName)
  const values: Record<string, unknown> = {}
  for (const [name, text] of Object.entries(environment)) {
    if (!name.startsWith(PREFIX) || RESERVED.test(name) || text === undefined) continue
    const key = names.take(name)
    if (key === undefined) {
      const meant = names.suggest(name)
      const hint = meant === undefined ? '' : `; did you mean ${meant}?`
      throw new ConfigError('UnknownOption', `environment variable ${name} is no option${hint}`)
    }
    values[key] = parseValue(schema.options[key] as OptionDefinition, text, name)
  }
  return values as PartialConfig
}
