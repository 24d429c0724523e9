import { setImmediate as nextTurn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { type Caller, unlimitedCaller } from '../../../src/gateway/access/caller.ts'
import type { Exchange } from '../../../src/gateway/exchange.ts'
import { defineMethod } from '../../../src/rpc/defineMethod.ts'
import { RpcError } from '../../../src/rpc/errors.ts'
import { METHODS } from '../../../src/rpc/methods.ts'
import { data } from '../../../src/rpc/params/hex.ts'
import { optional } from '../../../src/rpc/params/param.ts'
import { toHex } from '../../../src/util/bytes.ts'
import { createLocalService } from '../../support/ask.ts'
import { createChainContext } from '../../support/chainContext.ts'
import { RecordedChain } from '../../support/recordedChain.ts'
import { readVectorLines } from '../../support/vectors.ts'

const HEAD = Buffer.from('d4ad81091f44b6272b0d70e48840a41041aba1883d4a241f70aa30bfd92ac3d3', 'hex')
const context = createChainContext(new RecordedChain(readVectorLines('rpc/chain-main.jsonl')).readerAt(HEAD))
const echo = defineMethod({
  doc: '',
  result: {},
  cost: 1,
  cache: 'none',
  lane: 'read',
  name: 'test_echo',
  params: [optional(data(), Buffer.alloc(0))],
  handler: (_context, [bytes]) => toHex(bytes),
})
const methods = [...METHODS, echo]

/** More than a turn gives a client. */
const ALL_TIME = 100

function request(method: string, id: number | string, params = '[]'): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`
}

function open(t: Test, batch = 1000) {
  const service = createLocalService(context, { methods, batch })
  t.teardown(() => service.close())
  const { gateway } = service
  /** Asks with bytes that are gone when the call returns, as those of the socket library are. */
  const ask = (body: string, caller: Caller, more: Partial<Exchange> = {}) => {
    const bytes = Buffer.from(body)
    const memory = new ArrayBuffer(bytes.length)
    const exchange: Exchange = { caller, answer: () => undefined, onGone: undefined, gone: false, ...more }
    const answered = new Promise<string>((resolve) => {
      exchange.answer = (answer) => resolve(Buffer.from(answer as Uint8Array).toString())
    })
    new Uint8Array(memory).set(bytes)
    gateway.handle(memory, exchange)
    new Uint8Array(memory).fill(0x20)
    return { answered, exchange }
  }
  /** As if the caller had used up its time in this turn. */
  const exhaust = ({ account }: Caller) => gateway.work.used(account.work, 0, ALL_TIME)
  return { ...service, ask, exhaust }
}

const MIXED = Array.from({ length: 40 }, (_, id) => [
  request('eth_chainId', id),
  request('test_echo', `"\u20ac${id}"`, `["0x${id.toString(16).padStart(2, '0')}"]`),
  request('eth_getBlockByNumber', id, '["0x6",false]'),
  request('eth_nothing', id),
  '{}',
  '[]',
  `{"jsonrpc":"2.0","method":"eth_chainId"}`,
  `[${request('net_version', id)},[${request('eth_chainId', id)}],7]`,
]).flat()

t.test('a batch that is divided gets the same answer as one that is not', async (t) => {
  const { ask, exhaust, gateway } = open(t)
  const whole = unlimitedCaller('whole')
  // Twice: the second time the native core answers what can be kept.
  await ask(`[${MIXED}]`, whole).answered
  await nextTurn()
  const expected = await ask(`[${MIXED}]`, whole).answered
  const divided = unlimitedCaller('divided')
  exhaust(divided)
  const asked = ask(`[${MIXED}]`, divided)
  t.equal(gateway.work.waiting, 1)
  // These take the memory that the batch was read into.
  while (gateway.work.waiting > 0) {
    await ask(`[${request('eth_chainId', '"other"')},${request('test_echo', 1)}]`, whole).answered
    await nextTurn()
  }
  t.equal(await asked.answered, expected)
})

t.test(
  'one turn begins a bounded part of a batch, and who asks meanwhile is answered before the rest',
  async (t) => {
    const { ask, exhaust, metrics } = open(t)
    const [heavy, light] = [unlimitedCaller('heavy'), unlimitedCaller('light')]
    const begun = () => metrics.stats().reduce((sum, { requests }) => sum + requests, 0)
    exhaust(heavy)
    const order: string[] = []
    const batch = ask(`[${Array(1000).fill('{}')}]`, heavy).answered.then((text) => {
      order.push('heavy')
      return text
    })
    t.equal(begun(), 7, 'the beginning of the batch and as many elements as are never divided')
    const other = ask(request('eth_chainId', 1), light).answered.then(() => order.push('light'))
    await Promise.all([batch, other])
    t.same(order, ['light', 'heavy'])
    t.equal((JSON.parse(await batch) as unknown[]).length, 1000)
  },
)

t.test('nothing more is done for a client that is gone', async (t) => {
  const { ask, exhaust, gateway, metrics } = open(t)
  const caller = unlimitedCaller('gone')
  exhaust(caller)
  const { exchange } = ask(`[${Array(1000).fill('{}')}]`, caller)
  const begun = () => metrics.stats().reduce((sum, { requests }) => sum + requests, 0)
  const before = begun()
  ;(exchange as { gone: boolean }).gone = true
  while (gateway.work.waiting > 0) await nextTurn()
  t.equal(begun(), before)
})

t.test('without memory for it the rest of a batch is refused at once', async (t) => {
  const { ask, exhaust, gateway } = open(t)
  const caller = unlimitedCaller('poor')
  exhaust(caller)
  let held = 0
  const { answered } = ask(`[${Array(100).fill(request('eth_chainId', 1))}]`, caller, {
    hold: (bytes) => {
      if (bytes > 1000) return false
      held += bytes
      return true
    },
  })
  t.equal(gateway.work.waiting, 0)
  const answers = JSON.parse(await answered) as { error?: { code: number } }[]
  t.equal(answers.length, 100)
  t.equal(answers.filter(({ error }) => error?.code === -32005).length, 93)
  t.ok(held > 0)
})

t.test(
  'a batch over the limit gets its array once, and one error where its client is over its budget',
  async (t) => {
    const { ask, gateway } = open(t, 50)
    const caller = unlimitedCaller('batches')
    const long = `[${Array.from({ length: 500 }, (_, id) => request('eth_chainId', id))}]`
    const first = ask(long, caller)
    const second = ask(long, caller)
    t.match(JSON.parse(await second.answered), { id: null, error: { code: -32600 } })
    const answers = JSON.parse(await first.answered) as { id: number }[]
    t.same(
      answers.map(({ id }) => id),
      Array.from({ length: 500 }, (_, id) => id),
    )
    while (gateway.work.waiting > 0) await nextTurn()
    await nextTurn()
    t.equal((JSON.parse(await ask(long, caller).answered) as unknown[]).length, 500, 'again in a later turn')
  },
)

t.test('a refusal takes no trace of the stack, and leaves those of others', (t) => {
  const before = Error.stackTraceLimit
  t.notMatch(new RpcError('limited').stack ?? '', /\n\s+at /)
  t.equal(Error.stackTraceLimit, before)
  t.match(new TypeError('fault').stack ?? '', /\n\s+at /)
  t.end()
})
