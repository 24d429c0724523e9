import { checkConflicts } from '../config/conflicts.ts'
import { ConfigError } from '../config/errors.ts'
import { parseConfigFile } from '../config/file.ts'
import { fillDefaults } from '../config/load.ts'
import { networkByName } from '../config/networks/byName.ts'
import type { Config } from '../config/schema.ts'
import { developmentAccounts, mnemonicOf } from '../node/dev/developmentAccounts.ts'
import type { DevelopmentNodeOptions } from './developmentNode.ts'

/** Source of options in error messages. */
const SOURCE = 'createNode'

/** Names of the options that have another key in the schema. */
const RENAMED = { port: 'httpPort', automine: 'mining' } as const

/** Options that are not in the schema. */
const OWN: readonly string[] = ['accounts', 'process', 'config', 'fork']

/** Defaults for a node of one test or program: few threads, no log, a quick stop. */
const DEFAULTS = { httpPort: 0, workers: 1, logLevel: 'silent', drainTimeout: 2 } as const

const NETWORKS: readonly string[] = ['regtest', 'devnet']

/**
 * The complete configuration of a development node, checked by the schema.
 * @param dataDir folder of the chain
 * @throws ConfigError with the messages of a configuration file
 */
export function configFromOptions(options: Omit<DevelopmentNodeOptions, 'signal'>, dataDir: string): Config {
  const named = Object.entries(options)
    .filter(([name]) => !OWN.includes(name))
    .map(([name, value]) => [RENAMED[name as keyof typeof RENAMED] ?? name, value])
  const given = {
    ...DEFAULTS,
    ...defined(options.config ?? {}),
    ...defined(Object.fromEntries(named)),
    ...forkOptions(options.fork),
    dataDir,
  }
  // Serialised as a configuration file, so that it is validated like one.
  const config = fillDefaults(parseConfigFile(JSON.stringify(given), SOURCE))
  if (!NETWORKS.includes(config.network)) {
    throw new ConfigError('InvalidValue', `${SOURCE}: network: expected one of ${NETWORKS.join(', ')}`)
  }
  checkConflicts(config)
  checkAccounts(options, config)
  return config
}

function checkAccounts({ accounts = {} }: Pick<DevelopmentNodeOptions, 'accounts'>, config: Config): void {
  const { count, balance } = accounts
  const ofGenesis = developmentAccounts(networkByName(config.network)).length
  const most = mnemonicOf(config) === null ? ofGenesis : config.accounts
  if (count !== undefined && !(Number.isSafeInteger(count) && count >= 0 && count <= most)) {
    throw new ConfigError('InvalidValue', `${SOURCE}: accounts.count: expected integer from 0 to ${most}`)
  }
  if (balance !== undefined && !(typeof balance === 'bigint' && balance >= 0n && balance < 1n << 256n)) {
    throw new ConfigError('InvalidValue', `${SOURCE}: accounts.balance: expected bigint of up to 256 bits`)
  }
}

function forkOptions(fork: DevelopmentNodeOptions['fork']): Record<string, unknown> {
  if (fork === undefined) return {}
  const { url, block } = fork
  const urls = typeof url === 'string' ? url : url.join(',')
  return { forkUrl: urls, ...(block === undefined ? {} : { forkBlock: String(block) }) }
}

function defined(values: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}
