import t from 'tap'
import { ALL_MODULES, type EnabledMethods } from '../../../src/rpc/availability.ts'
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

const OPEN: EnabledMethods = { modules: [ALL_MODULES], disabledMethods: [], dev: true }
const spec = { doc: '', result: {}, cost: 1, cache: 'none', lane: 'read' } as const
const methods = [
  ...METHODS,
  defineMethod({
    ...spec,
    name: 'test_echo',
    params: [optional(data(), Buffer.alloc(0))],
    handler: (_context, [bytes]) => toHex(bytes),
  }),
  defineMethod({
    ...spec,
    name: 'test_bug',
    params: [],
    handler: () => {
      throw new TypeError('secret at /a/path')
    },
  }),
  defineMethod({
    ...spec,
    name: 'test_revert',
    params: [],
    handler: async () => {
      throw new RpcError('vmException', 'VM Exception: revert', { data: '0x01' })
    },
  }),
]

async function ask(
  body: string,
  options: { batch?: number; answerBytes?: number; enabled?: EnabledMethods } = {},
) {
  const service = createLocalService(context, { methods, ...options })
  try {
    return await service.ask(body)
  } finally {
    service.close()
  }
}

/** A request text. */
function request(method: string, params = '[]', id = '1'): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`
}

const OK = '{"jsonrpc":"2.0","id":1,"result":"0x21"}'
const error = (code: number, message: string, id = '1') =>
  `{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":${JSON.stringify(message)}}}`

t.test('single bodies', async (t) => {
  const cases: readonly [body: string, answer: string, status?: number][] = [
    [request('eth_chainId'), OK],
    ['{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}', OK],
    ['{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":null}', OK],
    ['{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":{}}', OK],
    ['{"jsonrpc":2.0,"id":1,"method":"eth_chainId","extra":{"a":1}}', OK],
    ['{"id":0,"id":1,"method":"x","method":"eth_chainId"}', OK],
    [`\ufeff${request('eth_chainId')}`, OK],
    [`${request('eth_chainId')}xyz`, OK],
    [`${request('eth_chainId')}\n${request('eth_chainId')}`, OK],
    [request('eth_\\u0063hainId'), OK],
    [request('eth_chainId', '"x"'), error(-32602, 'method parameters invalid')],
    [request('eth_chainId', '5'), error(-32602, 'method parameters invalid')],
    [request('eth_chainId', '[1]'), error(-32602, 'method parameters invalid')],
    [request('test_echo', '{"data":"0x"}'), error(-32602, 'method parameters invalid')],
    [request('eth_foo'), error(-32601, 'method not found')],
    [request(' eth_chainId '), error(-32601, 'method not found')],
    [request('shh_version'), error(-32601, 'the method shh_version does not exist/is not available')],
    ['{"jsonrpc":"2.0","id":1,"method":5}', error(-32600, 'invalid request'), 400],
    ['{"jsonrpc":"2.0","id":1}', error(-32600, 'invalid request'), 400],
    ['{}', error(-32600, 'invalid request', 'null'), 400],
    [request('test_bug'), error(-32603, 'Internal server error')],
    [
      request('test_revert'),
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32015,"message":"VM Exception: revert","data":"0x01"}}',
    ],
    ['', error(-32700, 'JSON parse error', 'null'), 400],
    [' \n', error(-32700, 'JSON parse error', 'null'), 400],
    ['hello', error(-32700, 'JSON parse error', 'null'), 400],
    ['{"jsonrpc":"2.0","id":1,"method":', error(-32700, 'JSON parse error', 'null'), 400],
    [`{"id":1,"method":"eth_chainId","params":[],}`, error(-32700, 'JSON parse error', 'null'), 400],
    [request('test_echo', '[1,,2]'), error(-32700, 'JSON parse error', 'null'), 400],
    ['5', error(-32600, 'invalid request', 'null'), 400],
    ['"eth_chainId"', error(-32600, 'invalid request', 'null'), 400],
    ['null', error(-32600, 'invalid request', 'null'), 400],
    ['[]', error(-32600, 'invalid request', 'null'), 400],
    [' [ ] ', error(-32600, 'invalid request', 'null'), 400],
    [request('eth_chainId', '[]', '[1]'), error(-32600, 'invalid request', 'null'), 400],
    [request('eth_chainId', '[]', '{}'), error(-32600, 'invalid request', 'null'), 400],
    ['['.repeat(2000) + ']'.repeat(2000), error(-32600, 'Invalid request', 'null'), 400],
    ['{"method":"eth_chainId"}', ''],
    ['{"id":null,"method":"eth_foo"}', ''],
  ]
  for (const [body, answer, status = 200] of cases) {
    t.same(await ask(body), { text: answer, status }, body.slice(0, 80))
  }
})

t.test('ids are echoed as they were written', async (t) => {
  const ids = ['0', '-1', '1.5', '1.0', '1e3', '12345678901234567890123', '"abc"', '""', '"\\u00fc€"', 'true']
  for (const id of ids) {
    const { text } = await ask(request('eth_chainId', '[]', id))
    t.equal(text, `{"jsonrpc":"2.0","id":${id},"result":"0x21"}`)
    const pooled = await ask(request('test_echo', '["0xab"]', id))
    t.equal(pooled.text, `{"jsonrpc":"2.0","id":${id},"result":"0xab"}`)
  }
})

t.test('batches', async (t) => {
  const chain = request('eth_chainId')
  const invalid = error(-32600, 'invalid request', 'null')
  const cases: readonly [body: string, answer: string][] = [
    [`[${chain}]`, `[${OK}]`],
    [
      `[${chain},${request('test_echo', '["0x1"]', '"b"')},${request('eth_foo', '[]', '3')}]`,
      `[${OK},{"jsonrpc":"2.0","id":"b","result":"0x01"},${error(-32601, 'method not found', '3')}]`,
    ],
    ['[1,null,"x"]', `[${invalid},${invalid},${invalid}]`],
    [`[{"method":"eth_chainId"},${chain}]`, `[${OK}]`],
    ['[{"method":"eth_chainId"},{"method":"test_echo"}]', ''],
    [`[[${chain}],${chain},[],[[]]]`, `[[${OK}],${OK},${invalid},[${invalid}]]`],
    [`[${chain},`, error(-32700, 'JSON parse error', 'null')],
  ]
  for (const [body, answer] of cases) t.equal((await ask(body)).text, answer, body)
})

const REFUSED = 'Cannot dispatch batch requests. 50 is the max number of supported batch requests'

/** So many requests with ids from 0 on. */
const batchOf = (count: number) =>
  `[${Array.from({ length: count }, (_, id) => request('eth_chainId', '[]', `${id}`)).join(',')}]`

t.test('limits of a batch', async (t) => {
  const elements = async (body: string) => (JSON.parse((await ask(body)).text) as unknown[]).length
  t.equal(await elements(batchOf(50)), 50)
  t.equal(await elements(`[${'{},'.repeat(60)}{}]`), 61)
  const refused = { text: error(-32600, REFUSED, 'null'), status: 200 }
  t.same(await ask(batchOf(501)), refused)
  t.same(await ask(`[${batchOf(500)},${request('eth_chainId')}]`), refused)
  for (const element of ['1', '{}', '[]', '[[1]]']) {
    t.same(await ask(`[${`${element},`.repeat(500)}1]`), refused, `501 of ${element}`)
    t.equal(await elements(`[${`${element},`.repeat(499)}1]`), 500)
  }
  t.same(await ask(`[${'{},'.repeat(1_000_000)}{}]`), refused)
  t.match((await ask('['.repeat(900) + ']'.repeat(900))).text, /^\[{899}\{[^[\]]+\}\]{899}$/)
})

t.test('every request of a batch over the limit gets the error with its id', async (t) => {
  for (const count of [51, 500]) {
    const text = `[${Array.from({ length: count }, (_, id) => error(-32600, REFUSED, `${id}`)).join(',')}]`
    t.same(await ask(batchOf(count)), { text, status: 200 })
  }
  const nested = await ask(`[${batchOf(50)},${request('eth_chainId', '[]', '"last"')}]`)
  const [inner, last] = JSON.parse(nested.text) as [{ id: number }[], unknown]
  t.same(
    inner.map(({ id }) => id),
    Array.from({ length: 50 }, (_, id) => id),
  )
  t.same(
    [...new Set(inner.map(({ id: _, ...rest }) => JSON.stringify(rest)))],
    [JSON.stringify({ jsonrpc: '2.0', error: { code: -32600, message: REFUSED } })],
  )
  t.same(last, { jsonrpc: '2.0', id: 'last', error: { code: -32600, message: REFUSED } })
  // Notifications count, but have no slot; what is no request has its own error.
  const silent = '{"method":"eth_chainId"}'
  t.same(await ask(`[${Array(51).fill(silent).join(',')}]`), { text: '', status: 200 })
  t.same(
    await ask(
      `[[${silent}],${Array(50).fill(silent).join(',')},1,{},{"id":[]},{"id":"\u20ac","method":"x"}]`,
    ),
    {
      text: `[${[
        error(-32600, 'invalid request', 'null'),
        error(-32600, REFUSED, 'null'),
        error(-32600, 'invalid request', 'null'),
        error(-32600, REFUSED, '"\u20ac"'),
      ].join(',')}]`,
      status: 200,
    },
  )
})

t.test('the errors of a batch over the limit are not larger than an answer may be', async (t) => {
  const one = error(-32600, REFUSED, '10').length + 1
  const fits = await ask(batchOf(60), { answerBytes: 60 * one })
  t.equal((JSON.parse(fits.text) as unknown[]).length, 60)
  t.same(await ask(batchOf(60), { answerBytes: 59 * one }), {
    text: error(-32600, REFUSED, 'null'),
    status: 200,
  })
  const id = JSON.stringify('x'.repeat(10_000))
  const long = `[${Array(60)
    .fill(request('eth_chainId', '[]', id))
    .join(',')}]`
  t.same(await ask(long, { answerBytes: 100_000 }), { text: error(-32600, REFUSED, 'null'), status: 200 })
})

t.test('limit of the answer', async (t) => {
  const large = request('test_echo', `["0x${'ab'.repeat(500)}"]`)
  const text = 'Response size limit of 900 bytes exceeded'
  t.same(await ask(large, { answerBytes: 900 }), { text: error(-32011, text), status: 200 })
  const half = request('test_echo', `["0x${'ab'.repeat(250)}"]`)
  t.match((await ask(half, { answerBytes: 900 })).text, /"result"/)
  t.equal((await ask(`[${half},${half}]`, { answerBytes: 900 })).text, error(-32011, text, 'null'))
})

t.test('development helpers are not available unless switched on', async (t) => {
  t.match((await ask(request('evm_mine'), { enabled: { ...OPEN, dev: true } })).text, /"result":null/)
  t.equal(
    (await ask(request('evm_mine'), { enabled: { ...OPEN, dev: false } })).text,
    error(-32601, 'the method evm_mine does not exist/is not available'),
  )
})

t.test('modules and single methods can be closed, by any of their names', async (t) => {
  const unavailable = (method: string) =>
    error(-32601, `the method ${method} does not exist/is not available`)
  const only = { enabled: { ...OPEN, modules: ['net', 'rsk'] } }
  t.match((await ask(request('net_version'), only)).text, /"result":"33"/)
  t.equal((await ask(request('eth_chainId'), only)).text, unavailable('eth_chainId'))
  t.equal((await ask(request('hardhat_mine'), only)).text, unavailable('hardhat_mine'))
  const without = { enabled: { ...OPEN, disabledMethods: ['ext_getStorageBytesAt'] } }
  t.equal((await ask(request('rsk_getStorageBytesAt'), without)).text, unavailable('rsk_getStorageBytesAt'))
  t.equal((await ask(request('ext_getStorageBytesAt'), without)).text, unavailable('ext_getStorageBytesAt'))
  t.equal((await ask(request('eth_noSuchMethod'), only)).text, error(-32601, 'method not found'))
})
