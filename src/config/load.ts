import { availableParallelism, homedir } from 'node:os'
import { checkConflicts } from './conflicts.ts'
import { parseEnvironment } from './environment.ts'
import { ConfigError } from './errors.ts'
import { readConfigFile } from './file.ts'
import type { DefaultContext, OptionDefinition } from './option.ts'
import { nodeSchema } from './optionNames.ts'
import { type Config, OPTION_KEYS, OPTIONS, type PartialConfig } from './schema.ts'

/** Sources of options; a flag wins over the environment, which wins over the file. */
export type ConfigSources = {
  /** Options given on the command line. */
  readonly flags?: PartialConfig
  /** Environment variables; those of other programs are ignored. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** Called for options that are given under an earlier name. */
  readonly onWarning?: (text: string) => void
}

/**
 * The complete configuration. The file is the one that the flag or the environment names.
 * @throws ConfigError for an unknown name, a value out of bounds, an unreadable file or conflicting options
 */
export function loadConfig({ flags = {}, environment = {}, onWarning }: ConfigSources): Config {
  const schema = nodeSchema(onWarning)
  const fromEnvironment = parseEnvironment(environment, schema)
  const path = flags.config ?? fromEnvironment.config
  const fromFile = path === undefined || path === null ? {} : readConfigFile(path, schema)
  const config = fillDefaults({ ...fromFile, ...fromEnvironment, ...flags })
  checkConflicts(config)
  return config
}

/** The configuration with the default of every option that is not given. */
export function fillDefaults(given: PartialConfig): Config {
  const network = given.network ?? OPTIONS.network.default
  const isMember = (given.fleet ?? []).length > 0
  const isFork = (given.forkUrl ?? null) !== null
  const machine = { network, isMember, isFork, processors: availableParallelism(), home: homeOfUser }
  const profile =
    given.profile ?? OPTIONS.profile.default({ ...machine, profile: 'hosted', isProducing: false })
  const isProducing = given.mining ?? OPTIONS.mining.default({ ...machine, profile, isProducing: false })
  const context: DefaultContext = { ...machine, profile, isProducing }
  const values: Record<string, unknown> = {}
  for (const key of OPTION_KEYS) {
    const value = given[key]
    // null is a value, which disables an optional option.
    values[key] = value === undefined ? defaultOf(OPTIONS[key], context) : value
  }
  return values as Config
}

/** Whoever names a data directory needs none: a container's user may have no entry among the users of the system. */
function homeOfUser(): string {
  let home = ''
  try {
    home = homedir()
  } catch {
    // The system does not know the user, and HOME is not set.
  }
  if (home !== '') return home
  throw new ConfigError(
    'NoHome',
    'this user has no home directory: name the data directory with --data-dir, or set HOME',
  )
}

function defaultOf(definition: OptionDefinition, context: DefaultContext): unknown {
  return typeof definition.default === 'function' ? definition.default(context) : definition.default
}
