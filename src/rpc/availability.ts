/**
 * Who may call: everybody, only where the development helpers are switched on, or nobody but the gateway,
 * which asks workers for a part of a larger answer.
 */
export type Audience = 'public' | 'dev' | 'internal'

/** Of a method, what decides whether it is open. */
export interface NamedMethod {
  readonly name: string
  readonly aliases: readonly string[]
  readonly audience: Audience
}

/** Stands for all modules. */
export const ALL_MODULES = '*'

/** Prefixes that belong to the module of another name. */
const MODULE_OF_PREFIX: ReadonlyMap<string, string> = new Map([
  ['ext', 'rsk'],
  ['hardhat', 'evm'],
  ['anvil', 'evm'],
  ['miner', 'evm'],
  ['erigon', 'ots'],
])

/** Helpers of development chains under a name of another module, which a hosted endpoint has open. */
const HELPERS: ReadonlySet<string> = new Set(['eth_sendUnsignedTransaction'])

/** The methods that are open to callers. */
export interface EnabledMethods {
  /** Names of modules, or `*`. */
  readonly modules: readonly string[]
  /** Names of methods that are closed although their module is open. */
  readonly disabledMethods: readonly string[]
  /** True when the network is one for development: only there the chain can be changed at will. */
  readonly dev: boolean
}

/** Module of a method name: its prefix; `ext` is `rsk`, the helpers of Hardhat, Foundry and Ganache are `evm`, what Otterscan asks of Erigon is `ots`. */
export function moduleOf(method: string): string {
  if (HELPERS.has(method)) return 'evm'
  const [prefix = ''] = method.split(/[_.]/, 1)
  return MODULE_OF_PREFIX.get(prefix) ?? prefix
}

/** True when callers may ask for the method. */
export function isEnabled(definition: NamedMethod, enabled: EnabledMethods): boolean {
  const { audience, name, aliases } = definition
  if (audience === 'internal' || (audience === 'dev' && !enabled.dev)) return false
  if (!enabled.modules.includes(ALL_MODULES) && !enabled.modules.includes(moduleOf(name))) return false
  return ![name, ...aliases].some((known) => enabled.disabledMethods.includes(known))
}

/** Modules with a method that callers may ask for, in the order of their names. */
export function openModules(methods: readonly NamedMethod[], enabled: EnabledMethods): string[] {
  const open = methods.filter((method) => isEnabled(method, enabled)).map(({ name }) => moduleOf(name))
  return [...new Set(open)].sort()
}
