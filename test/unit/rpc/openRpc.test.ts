import metaSchemaModule from '@open-rpc/meta-schema'
import { Ajv } from 'ajv'
import draft7 from 'ajv/dist/refs/json-schema-draft-07.json' with { type: 'json' }
import t from 'tap'
import { openModules } from '../../../src/rpc/availability.ts'
import { METHODS } from '../../../src/rpc/methods.ts'
import { openRpcDocument } from '../../../src/rpc/openRpc.ts'
import { createLocalService } from '../../support/ask.ts'
import { createChainContext, TEST_SETTINGS } from '../../support/chainContext.ts'
import { RecordedChain } from '../../support/recordedChain.ts'
import { readVectorLines } from '../../support/vectors.ts'

const HEAD = Buffer.from('d4ad81091f44b6272b0d70e48840a41041aba1883d4a241f70aa30bfd92ac3d3', 'hex')
const context = createChainContext(new RecordedChain(readVectorLines('rpc/chain-main.jsonl')).readerAt(HEAD))

/** The published meta-schema names JSON Schema by an address of its authors, with and without a slash. */
const JSON_SCHEMA = ['https://meta.json-schema.tools', 'https://meta.json-schema.tools/']

function createValidator() {
  const ajv = new Ajv({
    strict: false,
    formats: { uri: true, 'uri-reference': true, email: true, regex: true },
  })
  const { $id: _id, ...schema } = draft7 as Record<string, unknown> & { definitions: object }
  const definitions = {
    ...schema.definitions,
    JSONSchemaObject: { properties: { $ref: { type: 'string' } } },
  }
  for (const $id of JSON_SCHEMA) ajv.addSchema({ ...schema, definitions, $id })
  const { default: published } = metaSchemaModule as unknown as { default?: Record<string, unknown> }
  const { $schema: _schema, ...meta } = published ?? (metaSchemaModule as Record<string, unknown>)
  return { ajv, validate: ajv.compile(meta) }
}

async function ask(method: string, enabled = TEST_SETTINGS.enabled) {
  const settings = { ...TEST_SETTINGS, enabled }
  const service = createLocalService({ ...context, node: { ...context.node, settings } })
  t.teardown(() => service.close())
  const { text } = await service.ask(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }))
  return (JSON.parse(text) as { result: unknown }).result
}

t.test('rpc.discover is valid by the published meta-schema', async (t) => {
  const { validate } = createValidator()
  const document = (await ask('rpc.discover')) as { openrpc: string; methods: { name: string }[] }
  t.ok(validate(document), JSON.stringify(validate.errors?.slice(0, 3)))
  const names = document.methods.map(({ name }) => name)
  t.equal(new Set(names).size, names.length)
  const offered = METHODS.filter(({ audience }) => audience !== 'internal')
  for (const { name, aliases } of offered)
    t.ok(
      [name, ...aliases].every((known) => names.includes(known)),
      name,
    )
  t.notOk(names.some((name) => name.startsWith('internal_')))
  t.notOk(validate({ ...document, methods: [{ name: 'x' }] }), 'the schema refuses what is no method')
})

t.test('the schemas of parameters and results are JSON schemas', async (t) => {
  const { ajv } = createValidator()
  for (const { name, params, result } of METHODS) {
    for (const { schema } of params) t.ok(ajv.validateSchema(schema), name)
    t.ok(ajv.validateSchema(result), name)
  }
})

t.test('only what is open is described', async (t) => {
  const enabled = { modules: ['net', 'rpc'], disabledMethods: ['net_peerList'], dev: false }
  const { methods } = (await ask('rpc.discover', enabled)) as { methods: { name: string }[] }
  t.same(
    methods.map(({ name }) => name),
    ['net_listening', 'net_peerCount', 'net_version', 'rpc.discover', 'rpc_modules'],
  )
  t.same(await ask('rpc_modules', enabled), { net: '1.0', rpc: '1.0' })
  t.notOk(openModules(METHODS, { modules: ['*'], disabledMethods: [], dev: false }).includes('evm'))
  t.equal(openRpcDocument([])['openrpc'], '1.3.2')
})
