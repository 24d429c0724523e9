import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ERROR_TABLE, type RpcErrorKind } from '../../../../src/rpc/errors.ts'
import { isFinalForGraphNode } from '../../../support/graphNodeErrors.ts'
import { ROOT } from '../../../support/sources.ts'
import { openDevNode } from '../evm/devNode.ts'

const FROM = `0x${'1a'.repeat(20)}`
const CONTRACT = `0x${'c0'.repeat(20)}`
const BRIDGE = '0x0000000000000000000000000000000001000006'
const BLAKE2F = '0x0000000000000000000000000000000000000009'
const PREFIX = 'VM Exception while processing transaction: '
const OUT_OF_GAS = 'out of gas'

/** A call, the end of what is told of its halt, and whether graph-node knows that. */
interface Halting {
  readonly name: string
  /** Of CONTRACT; initcode where `creates`. */
  readonly code?: string
  readonly creates?: boolean
  readonly to?: string
  readonly data?: string
  readonly gas?: string
  readonly words: string
  readonly isUnknownToGraphNode?: boolean
}

/** Initcode that returns as much of the memory, whose first byte may be set. */
const returning = (length: string, first = '00') => `60${first}5f5361${length}5ff3`

const HALTS: readonly Halting[] = [
  { name: 'INVALID', code: 'fe', words: 'invalid opcode: INVALID' },
  { name: 'an unknown instruction', code: '0c', words: 'invalid opcode: opcode 0xc not defined' },
  { name: 'a jump', code: '5f56', words: 'invalid jump destination' },
  { name: 'an empty stack', code: '01', words: 'stack underflow' },
  { name: 'a full stack', code: '5b5f600056', words: 'stack limit reached 1024' },
  { name: 'a loop', code: '5b5f56', words: OUT_OF_GAS },
  { name: 'memory', code: '630fffffff51', words: OUT_OF_GAS },
  { name: 'a code header', code: 'fc0000ff602a', words: 'invalid opcode' },
  {
    name: 'return data',
    code: '60205f5f3e',
    words: 'return data out of bounds',
    isUnknownToGraphNode: true,
  },
  {
    name: 'too much code',
    creates: true,
    code: returning('6001'),
    words: 'max code size exceeded',
    isUnknownToGraphNode: true,
  },
  {
    name: 'code of 0xef',
    creates: true,
    code: returning('0001', 'ef'),
    words: 'invalid code: must not begin with 0xef',
    isUnknownToGraphNode: true,
  },
  { name: 'initcode', creates: true, code: 'fe', words: 'invalid opcode: INVALID' },
  {
    name: 'code that is not paid',
    creates: true,
    code: returning('6000'),
    gas: '0xf4240',
    words: 'contract creation code storage out of gas',
  },
  {
    name: 'a precompiled contract',
    to: BLAKE2F,
    data: '0x00',
    words: 'precompiled contract reverted',
  },
  {
    name: 'the Bridge',
    to: BRIDGE,
    // getBtcTransactionConfirmations of nothing.
    data: '0x5b644587',
    words: 'precompiled contract reverted',
  },
]

t.test("failures that are no reverts have geth's words in every method", async (t) => {
  const { answer, ask } = await openDevNode(t, { modules: ['*'] })
  await ask('evm_mine')
  for (const { name, code = '', creates = false, to = CONTRACT, data = '0x', gas, words, ...more } of HALTS) {
    const limit = gas === undefined ? {} : { gas }
    const call = creates ? { from: FROM, data: `0x${code}`, ...limit } : { from: FROM, to, data, ...limit }
    const overrides = creates || to !== CONTRACT ? {} : { [CONTRACT]: { code: `0x${code}` } }
    const known = more.isUnknownToGraphNode !== true
    const told = (message: string, method: string) => {
      t.ok(message.endsWith(`: ${words}`), `${name}, ${method}: ${message}`)
      t.equal(isFinalForGraphNode(message), known, `${name}, ${method}`)
    }
    const called = (await answer('eth_call', call, 'latest', overrides)).error
    t.equal(called?.code, -32015, name)
    t.ok(called?.message.startsWith(PREFIX), name)
    told(called?.message ?? '', 'eth_call')

    const estimated = (await answer('eth_estimateGas', call, 'latest', overrides)).error
    t.equal(estimated?.code, -32000, name)
    const wants = words === OUT_OF_GAS
    if (wants) t.match(estimated?.message, /^gas required exceeds allowance \([0-9]+\)$/, name)
    else told(estimated?.message ?? '', 'eth_estimateGas')

    const { error } = await ask('eth_createAccessList', call, 'latest', overrides)
    t.ok(error.startsWith(PREFIX), name)
    told(error, 'eth_createAccessList')

    const simulation = { blockStateCalls: [{ stateOverrides: overrides, calls: [call] }] }
    const [{ calls }] = await ask('eth_simulateV1', simulation, 'latest')
    t.equal(calls[0].error.code, -32015, name)
    told(calls[0].error.message, 'eth_simulateV1')

    const tracing = { tracer: 'callTracer', stateOverrides: overrides }
    const trace = await ask('debug_traceCall', call, 'latest', tracing)
    // A receipt of a precompiled contract that throws says success.
    if (to === CONTRACT && !words.endsWith('opcode')) t.equal(trace.error, words, name)
  }
})

/** Kinds that may pass when the same is asked again, here or elsewhere. */
const LIMITS: readonly RpcErrorKind[] = [
  'batchTooLarge',
  'historyNotKept',
  'internal',
  'unauthorized',
  'limited',
  'stopping',
  'overLimit',
  'logLimit',
  'unknownBlock',
  'notFound',
  'blockNotReached',
  'blockNotHere',
  'storeUnwritable',
  'simulatedTooMuch',
  'walletDisabled',
  'methodNotFound',
  'methodUnavailable',
  'sentTimeout',
  'sentUnready',
]

t.test('refusals that are limits of this node are never final for an indexer', (t) => {
  for (const kind of LIMITS) t.notOk(isFinalForGraphNode(ERROR_TABLE[kind].message), kind)
  // Texts where such an error is made, expressions in them left as they are.
  const made = new RegExp(`'(?:${LIMITS.join('|')})',\\s*(\`[^\`]*\`|'[^'\\n]*'|"[^"\\n]*")`, 'g')
  const texts = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .flatMap((path) => [...readFileSync(join(ROOT, 'src', path), 'utf8').matchAll(made)])
    .map(([, text]) => text ?? '')
  t.ok(texts.length > 20, `${texts.length} texts`)
  for (const text of texts) t.notOk(isFinalForGraphNode(text), text)
  t.end()
})
