import { ALL_MODULES, moduleOf } from '../../../src/rpc/availability.ts'
import { METHODS } from '../../../src/rpc/methods.ts'
import type { RecordedOptions } from './readOptions.ts'
import { boolean, list, RecordingOptionError } from './values.ts'

/** Modules and methods that are open. */
export interface OpenMethods {
  readonly modules: readonly string[]
  readonly disabledMethods: readonly string[]
}

interface Module {
  enabled: boolean
  /** Alone open where there are some. */
  only: string[]
  disabled: string[]
}

/** Modules of the reference on regtest (rpc.md §1.5); what is not among them is closed. */
const DEFAULTS: Readonly<Record<string, Partial<Module>>> = {
  eth: { enabled: true },
  net: { enabled: true },
  rpc: { enabled: true },
  web3: { enabled: true },
  evm: { enabled: true },
  txpool: { enabled: true },
  personal: { enabled: true },
  rsk: { enabled: true, disabled: ['rsk_shutdown', 'rsk_flush', 'rsk_getStorageBytesAt'] },
  sco: {},
  debug: {},
  trace: {},
}
const KEY = /^rpc\.modules\.(\w+)\.(.+)$/
const ELEMENT = /^methods\.(enabled|disabled)(?:\.\d+)?$/
/** Of a module: its name for `rpc_modules`, which lists those of this node, and limits of time (`rpc.timeout`). */
const IRRELEVANT = /^(version|timeout|methods\.timeout\.\w+)$/

/** Whether the key is about a module. */
export function isModuleKey(key: string): boolean {
  return KEY.test(key)
}

/**
 * What is open on the recorded node. As in the reference the list of disabled methods wins, and a list of enabled
 * ones closes all others of its module. A list that is given takes the place of the default.
 * @throws RecordingOptionError for a key or a value that is not known
 */
export function openMethods({ allModules, values }: RecordedOptions): OpenMethods {
  const modules = new Map<string, Module>(
    Object.entries(DEFAULTS).map(([name, given]) => [
      name,
      { enabled: allModules, only: [], disabled: [], ...given, ...(allModules && { disabled: [] }) },
    ]),
  )
  const given = new Set<string>()
  for (const [key, value] of values) {
    const [, name = '', rest = ''] = KEY.exec(key) ?? []
    if (name === '' || IRRELEVANT.test(rest)) continue
    const module = modules.get(name) ?? { enabled: false, only: [], disabled: [] }
    modules.set(name, module)
    const [, which] = ELEMENT.exec(rest) ?? []
    if (rest === 'enabled') module.enabled = boolean(value, key)
    else if (which === 'enabled') module.only.push(...list(value, key))
    else if (which === 'disabled') {
      if (!given.has(name)) module.disabled = []
      given.add(name)
      module.disabled.push(...list(value, key))
    } else throw new RecordingOptionError(`the replay does not know the option ${key} of the recording`)
  }
  const open = [...modules].filter(([, { enabled }]) => enabled).map(([name]) => name)
  const closed = [...modules].filter(([, { enabled }]) => !enabled).map(([name]) => name)
  const disabledMethods = [...modules].flatMap(([name, { only, disabled }]) => [
    ...disabled,
    ...(only.length === 0 ? [] : METHODS.map((method) => method.name).filter(isOther(name, only))),
  ])
  // Every module, also those that the reference has not, where none was closed by name.
  return { modules: allModules && closed.length === 0 ? [ALL_MODULES] : open, disabledMethods }
}

function isOther(module: string, only: readonly string[]): (method: string) => boolean {
  return (method) => moduleOf(method) === module && !only.includes(method)
}
