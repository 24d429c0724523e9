import type { MethodDefinition } from './defineMethod.ts'
import type { Json } from './json.ts'

/** Version of the OpenRPC specification that the document follows. */
const OPENRPC_VERSION = '1.3.2'
/** Version of the interface that the document describes. */
const INTERFACE_VERSION = '1.0.0'

/** The OpenRPC document of some methods, every name of each. */
export function openRpcDocument(methods: readonly MethodDefinition[]): { readonly [key: string]: Json } {
  return {
    openrpc: OPENRPC_VERSION,
    info: { title: 'Rhizome JSON-RPC', version: INTERFACE_VERSION },
    methods: methods
      .flatMap((method) => [method.name, ...method.aliases].map((name) => describeMethod(name, method)))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
  }
}

function describeMethod(name: string, method: MethodDefinition) {
  return {
    name,
    description: method.doc,
    paramStructure: 'by-position',
    params: method.params.map(({ name: param, schema, optional }) => ({
      name: param,
      required: !optional,
      schema,
    })),
    result: { name: 'result', schema: method.result },
  }
}
