import { suggest } from '../util/suggest.ts'
import { ConfigError } from './errors.ts'
import { environmentNameOf, OPTION_KEYS, OPTIONS, type PartialConfig } from './schema.ts'
import { parseValue } from './value.ts'

const PREFIX = 'RHIZOME_'

/** Names that tests and benchmarks read; they are no options of the node. */
const RESERVED = /^RHIZOME_(VECTORS|TEST_|BENCH_)/

/**
 * Options out of environment variables `RHIZOME_*`.
 * @throws ConfigError UnknownOption for another variable of that prefix, InvalidValue
 */
export function parseEnvironment(environment: Readonly<Record<string, string | undefined>>): PartialConfig {
  const keys = new Map<string, keyof typeof OPTIONS>(OPTION_KEYS.map((key) => [environmentNameOf(key), key]))
  const values: Record<string, unknown> = {}
  for (const [name, text] of Object.entries(environment)) {
    if (!name.startsWith(PREFIX) || RESERVED.test(name) || text === undefined) continue
    const key = keys.get(name)
    if (key === undefined) {
      const meant = suggest(name, [...keys.keys()])
      const hint = meant === undefined ? '' : `; did you mean ${meant}?`
      throw new ConfigError('UnknownOption', `environment variable ${name} is no option${hint}`)
    }
    values[key] = parseValue(OPTIONS[key], text, name)
  }
  return values as PartialConfig
}
