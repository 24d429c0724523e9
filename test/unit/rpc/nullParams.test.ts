import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import type { MethodDefinition } from '../../../src/rpc/defineMethod.ts'
import { RpcError } from '../../../src/rpc/errors.ts'
import { METHODS } from '../../../src/rpc/methods.ts'
import { type JsonSchema, parseParams } from '../../../src/rpc/params/param.ts'
import { parseResumeHash, parseSubscriptionTopic } from '../../../src/rpc/params/subscriptionTopic.ts'
import { Chance } from '../../fuzz/chance.ts'
import type { Facts } from '../../fuzz/facts.ts'
import { validParams } from '../../fuzz/validParams.ts'
import { COW_ADDRESS } from '../../support/accounts.ts'
import { openDevNode } from './evm/devNode.ts'

const HASH = `0x${'5e'.repeat(32)}`
const ADDRESS = `0x${'ab'.repeat(20)}`
const FACTS: Facts = {
  account: ADDRESS,
  token: ADDRESS,
  failures: ADDRESS,
  blockHash: HASH,
  transactionHash: HASH,
  rawBlock: '0x',
  rawTransaction: '0x01',
}
const OFFERED = METHODS.filter(({ audience }) => audience !== 'internal')

/** What the parameters of a method are read as, or how they are refused. */
function outcome({ params, name }: MethodDefinition, values: readonly unknown[]): unknown {
  try {
    const required = params.filter(({ optional }) => !optional).length
    const parsed: readonly unknown[] = parseParams(params, required, values, name)
    if (name !== 'eth_subscribe') return parsed
    const [kind, options] = parsed
    return [parseSubscriptionTopic(kind, options), parseResumeHash(kind, options)]
  } catch (error) {
    if (error instanceof RpcError && error.kind === 'invalidParams') return error.message
    throw error
  }
}

/** All parameters of a method, valid ones. */
function allParams(method: MethodDefinition, chance: Chance): unknown[] {
  const every = { ...method, params: method.params.map((param) => ({ ...param, optional: false })) }
  return validParams(every, FACTS, chance)
}

t.test('null in place of an optional parameter counts as absent', (t) => {
  const chance = new Chance(29)
  const wrong: string[] = []
  let tried = 0
  for (const method of OFFERED) {
    const required = method.params.filter(({ optional }) => !optional).length
    for (let round = 0; round < 5; round++) {
      const values = allParams(method, chance)
      for (let given = required; given < method.params.length; given++) {
        const some = values.slice(0, given)
        for (let nulls = 1; given + nulls <= method.params.length; nulls++) {
          const padded = [...some, ...new Array(nulls).fill(null)]
          const isAbsent = isDeepStrictEqual(outcome(method, padded), outcome(method, some))
          if (!isAbsent) wrong.push(`${method.name} ${JSON.stringify(padded)}`)
          tried += 1
        }
      }
    }
  }
  t.same(wrong, [])
  t.ok(tried > 100)
  t.end()
})

t.test('null in place of an optional member counts as absent', (t) => {
  const chance = new Chance(30)
  const wrong = new Set<string>()
  const tried = new Set<string>()
  for (const method of OFFERED) {
    for (let round = 0; round < 20; round++) {
      const values = allParams(method, chance)
      for (const [index, { schema, name }] of method.params.entries()) {
        for (const { path, withNull, without } of variants(schema, values[index])) {
          const replaced = (value: unknown) => values.map((given, at) => (at === index ? value : given))
          const label = `${method.name} ${name}${path}`
          const read = outcome(method, replaced(withNull))
          if (!isDeepStrictEqual(read, outcome(method, replaced(without)))) wrong.add(label)
          tried.add(label)
        }
      }
    }
  }
  t.same([...wrong], [])
  for (const label of [
    'eth_call block.requireCanonical',
    'eth_call call.data',
    'eth_call overrides.*.nonce',
    'eth_call blockOverrides.time',
    'eth_getLogs filter.fromBlock',
    'eth_getLogs filter.topics',
    'eth_newFilter filter.blockHash',
    'eth_sendTransaction transaction.maxFeePerGas',
    'eth_simulateV1 simulation.blockStateCalls[].calls[].to',
    'eth_subscribe options.fromBlock',
    'debug_traceCall options.stateOverrides.*.code',
    'debug_traceTransaction options.tracerConfig.withLog',
    'evm_mine timestamp.blocks',
    'hardhat_reset options.forking',
    'trace_callMany calls[][].value',
    'trace_filter filter.mode',
  ]) {
    t.ok(tried.has(label), label)
  }
  t.end()
})

t.test('null is absent in answers, wherever they come from', async (t) => {
  const { ask, answer } = await openDevNode(t)
  await ask('hardhat_mine', '0x3')
  const transfer = { from: COW_ADDRESS, to: COW_ADDRESS, value: '0x1' }
  const nothing = { gas: null, gasPrice: null, data: null, input: null, nonce: null, chainId: null }
  const pairs: readonly (readonly [method: string, given: readonly unknown[], short: readonly unknown[]])[] =
    [
      ['eth_getBalance', [COW_ADDRESS, null], [COW_ADDRESS, 'latest']],
      ['eth_getBlockByNumber', ['0x1', null], ['0x1', false]],
      ['eth_getBlockByNumber', ['latest', null], ['latest']],
      ['eth_call', [transfer, 'latest', null], [transfer, 'latest']],
      ['eth_call', [{ ...transfer, ...nothing }, null, null, null], [transfer, 'latest']],
      ['eth_estimateGas', [{ ...transfer, ...nothing }, null, null, null], [transfer]],
      [
        'eth_getLogs',
        [{ fromBlock: null, toBlock: null, blockHash: null, address: null, topics: null }],
        [{}],
      ],
      ['eth_getLogs', [{ fromBlock: '0x0', topics: [null, null] }], [{ fromBlock: '0x0' }]],
      ['eth_getBalance', [COW_ADDRESS, { blockNumber: '0x1', blockHash: null }], [COW_ADDRESS, '0x1']],
      ['trace_filter', [{ fromBlock: null, toBlock: null, count: null }], [{}]],
      ['debug_traceBlockByNumber', ['0x1', null], ['0x1']],
    ]
  for (const [method, given, short] of pairs) {
    // The second time what is in memory answers.
    for (let times = 0; times < 2; times++) {
      t.same(await answer(method, ...given), await answer(method, ...short), method)
    }
  }
  t.match(await answer('eth_call', null, 'latest'), { error: { code: -32602 } }, 'what is required')
  t.match(await answer('eth_blockNumber', null), { error: { code: -32602 } }, 'more than there are')
})

interface Variant {
  readonly path: string
  readonly withNull: unknown
  readonly without: unknown
}

/** A value with null in each member that its schema names, and the same without that member. */
function variants(schema: JsonSchema, value: unknown): Variant[] {
  const options = schema['oneOf'] as readonly JsonSchema[] | undefined
  if (options !== undefined) return options.flatMap((option) => variants(option, value))
  switch (schema['type']) {
    case 'object':
      return variantsOfObject(schema, isObject(value) ? value : {})
    case 'array':
      return Array.isArray(value) ? variantsOfArray(schema, value) : []
    default:
      return []
  }
}

function variantsOfObject(schema: JsonSchema, object: Readonly<Record<string, unknown>>): Variant[] {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>
  const rest = schema['additionalProperties']
  const inner = (path: string, key: string, of: JsonSchema) =>
    variants(of, object[key]).map((variant) => ({
      path: `${path}${variant.path}`,
      withNull: { ...object, [key]: variant.withNull },
      without: { ...object, [key]: variant.without },
    }))
  // What a muxTracer is configured with are the names of tracers.
  const isMux = object['tracer'] === 'muxTracer'
  const named = Object.entries(properties).flatMap(([key, of]): Variant[] => {
    const { [key]: _, ...without } = object
    const nested = isMux && key === 'tracerConfig' ? [] : inner(`.${key}`, key, of)
    return [{ path: `.${key}`, withNull: { ...object, [key]: null }, without }, ...nested]
  })
  if (!isObject(rest)) return named
  const others = Object.keys(object).filter((key) => !(key in properties))
  return [...named, ...others.flatMap((key) => inner('.*', key, rest as JsonSchema))]
}

function variantsOfArray(schema: JsonSchema, array: readonly unknown[]): Variant[] {
  const items = schema['items'] as JsonSchema | readonly JsonSchema[] | undefined
  return array.flatMap((element, index) => {
    const of = Array.isArray(items)
      ? (items as readonly JsonSchema[])[index]
      : (items as JsonSchema | undefined)
    const put = (value: unknown) => array.map((given, at) => (at === index ? value : given))
    return of === undefined
      ? []
      : variants(of, element).map(({ path, withNull, without }) => ({
          path: `[]${path}`,
          withNull: put(withNull),
          without: put(without),
        }))
  })
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
