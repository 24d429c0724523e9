import { type Config, flagOf, OPTION_KEYS, type OptionKey } from '../config/schema.ts'

/** Options that a running node takes over. */
const LIVE: ReadonlySet<OptionKey> = new Set<OptionKey>([
  'logLevel',
  'slowRequestTime',
  'readyHeadAge',
  'drainDelay',
  'drainTimeout',
  'tlsCert',
  'tlsKey',
  'clientBurst',
  'clientConcurrency',
  'clientDailyQuota',
  'clientRate',
  'clientSockets',
  'clientSubscriptions',
  'keyBurst',
  'keyConcurrency',
  'keyDailyQuota',
  'keyRate',
  'keySockets',
  'keySubscriptions',
  'requireKey',
  'trustedProxies',
])

/** The changes of a new configuration. */
export interface ConfigChange {
  /** Flags of options that count from now on. */
  readonly applied: readonly string[]
  /** Flags of options that count after a restart only. */
  readonly afterRestart: readonly string[]
}

/** Difference of a configuration from the one that a node runs with. */
export function compareConfigs(running: Config, next: Config): ConfigChange {
  const changed = OPTION_KEYS.filter((key) => JSON.stringify(running[key]) !== JSON.stringify(next[key]))
  const isLive = (key: OptionKey) => LIVE.has(key) || isLaneOption(key)
  return {
    applied: changed.filter(isLive).map(flagOf),
    // Whether there is TLS at all is settled when the port is taken.
    afterRestart: changed.filter((key) => !isLive(key)).map(flagOf),
  }
}

/** The configuration that a node has after a change: what counts after a restart only stays as it is. */
export function mergeLive(running: Config, next: Config): Config {
  const live = OPTION_KEYS.filter((key) => LIVE.has(key) || isLaneOption(key))
  return { ...running, ...Object.fromEntries(live.map((key) => [key, next[key]])) }
}

function isLaneOption(key: OptionKey): boolean {
  return /^lane[A-Z][a-z]+(Permits|Queue|Timeout)$/.test(key)
}
