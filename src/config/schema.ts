import type { OptionValue } from './option.ts'
import { ACCESS_OPTIONS } from './options/access.ts'
import { DEVELOPMENT_OPTIONS } from './options/development.ts'
import { FLEET_OPTIONS, GONE_FLEET_OPTIONS } from './options/fleet.ts'
import { LANE_OPTIONS } from './options/lanes.ts'
import { MINING_OPTIONS } from './options/mining.ts'
import { NODE_OPTIONS } from './options/node.ts'
import { OPERATION_OPTIONS } from './options/operation.ts'
import { PEER_OPTIONS } from './options/peers.ts'
import { PRODUCTION_OPTIONS } from './options/production.ts'
import { SERVICE_OPTIONS } from './options/service.ts'
import { SNAPSHOT_OPTIONS } from './options/snapshot.ts'
import { STORE_OPTIONS } from './options/store.ts'

/**
 * Every option of the node, from which flags, environment names, file keys, help and the reference table are
 * derived.
 */
export const OPTIONS = {
  ...NODE_OPTIONS,
  ...DEVELOPMENT_OPTIONS,
  ...STORE_OPTIONS,
  ...SNAPSHOT_OPTIONS,
  ...PEER_OPTIONS,
  ...FLEET_OPTIONS,
  ...SERVICE_OPTIONS,
  ...ACCESS_OPTIONS,
  ...LANE_OPTIONS,
  ...OPERATION_OPTIONS,
  ...PRODUCTION_OPTIONS,
  ...MINING_OPTIONS,
} as const

/** Options that there were, by key, with what takes their place. */
export const GONE_OPTIONS: Readonly<Record<string, string>> = GONE_FLEET_OPTIONS

/** Key of an option, which is also its key in a file. */
export type OptionKey = keyof typeof OPTIONS

/** A complete configuration: every option has a value. */
export type Config = { readonly [K in OptionKey]: OptionValue<(typeof OPTIONS)[K]> }

/** Some options. */
export type PartialConfig = { readonly [K in OptionKey]?: Config[K] }

/** Keys of all options in the order of the schema. */
export const OPTION_KEYS = Object.keys(OPTIONS) as OptionKey[]

/** Command line flag of an option, e.g. `--http-port`. */
export function flagOf(key: OptionKey): `--${string}` {
  return camelToFlag(key)
}

/** Flag of a name in camel case. */
export function camelToFlag(name: string): `--${string}` {
  return `--${words(name).join('-').toLowerCase()}`
}

/** Environment name of an option, e.g. `RHIZOME_HTTP_PORT`. */
export function environmentNameOf(key: OptionKey): `RHIZOME_${string}` {
  return camelToEnvironmentName(key)
}

/** Environment name of a name in camel case. */
export function camelToEnvironmentName(name: string): `RHIZOME_${string}` {
  return `RHIZOME_${words(name).join('_').toUpperCase()}`
}

function words(name: string): string[] {
  return name.split(/(?=[A-Z])/)
}
