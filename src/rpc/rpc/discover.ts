import { isEnabled } from '../availability.ts'
import { defineMethod, type MethodDefinition } from '../defineMethod.ts'
import { openRpcDocument } from '../openRpc.ts'

/** `rpc.discover`: the OpenRPC document of the methods that are open. `methods` gives the whole list. */
export function defineDiscover(methods: () => readonly MethodDefinition[]): MethodDefinition {
  return defineMethod({
    name: 'rpc.discover',
    doc: 'OpenRPC document of this service.',
    params: [],
    result: { type: 'object' },
    lane: 'inline',
    cost: 5,
    cache: 'forever',
    handler: ({ node }) =>
      openRpcDocument(methods().filter((method) => isEnabled(method, node.settings.enabled))),
  })
}
