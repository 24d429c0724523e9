import { openModules } from '../availability.ts'
import { defineMethod, type MethodDefinition } from '../defineMethod.ts'

/** The version of each module in the reference's answer. */
const MODULE_VERSION = '1.0'

/** `rpc_modules`: the modules that are open (rpc.md §3.1). `methods` gives the whole list. */
export function defineModules(methods: () => readonly MethodDefinition[]): MethodDefinition {
  return defineMethod({
    name: 'rpc_modules',
    doc: 'Modules that are open.',
    params: [],
    result: { type: 'object' },
    lane: 'inline',
    cost: 1,
    cache: 'forever',
    handler: ({ node }) =>
      Object.fromEntries(openModules(methods(), node.settings.enabled).map((name) => [name, MODULE_VERSION])),
  })
}
