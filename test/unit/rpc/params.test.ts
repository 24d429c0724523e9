import t from 'tap'
import { RpcError } from '../../../src/rpc/errors.ts'
import { blockId, blockRef, estimateBlock, LATEST } from '../../../src/rpc/params/blockSelector.ts'
import { callObject } from '../../../src/rpc/params/callObject.ts'
import { address, data, hash } from '../../../src/rpc/params/hex.ts'
import { logFilter } from '../../../src/rpc/params/logFilter.ts'
import { flag, index, slot } from '../../../src/rpc/params/number.ts'
import { optional, type Param } from '../../../src/rpc/params/param.ts'
import { plainBlock } from '../../../src/rpc/params/plainBlock.ts'
import { stateOverrides } from '../../../src/rpc/params/stateOverrides.ts'
import { traceFilter } from '../../../src/rpc/params/traceFilter.ts'
import { transactionObject } from '../../../src/rpc/params/transactionObject.ts'

/** What the parameter reads, or the text of its refusal. */
function read<T>(param: Param<T>, value: unknown): T | string {
  try {
    return param.parse(value, 'eth_test')
  } catch (error) {
    if (error instanceof RpcError && error.kind === 'invalidParams') return error.message
    throw error
  }
}

const ADDRESS = 'cd2a3d9f938e13cd947ec05abc7fe734df8dd826'
const HASH = 'ee2d3351378cecf6e2a3071ddfe270b735e6876ce70a921ca024469784a7541c'

t.test('addresses (rpc.md §2)', (t) => {
  const param = address()
  const bytes = Buffer.from(ADDRESS, 'hex')
  for (const form of [`0x${ADDRESS}`, ADDRESS, `0x${ADDRESS.toUpperCase()}`]) t.same(read(param, form), bytes)
  t.same(read(param, `0x${ADDRESS.slice(1)}`), Buffer.from(`0${ADDRESS.slice(1)}`, 'hex'))
  const length = 'Invalid address: null, empty or invalid hex value.'
  for (const form of ['', '0x', '0x1234', `0x${ADDRESS}00`, 123, {}, [`0x${ADDRESS}`], null]) {
    t.equal(read(param, form), length, JSON.stringify(form))
  }
  const format = 'Invalid address format: invalid hex value.'
  for (const form of [`0X${ADDRESS}`, `0x${'z'.repeat(40)}`, `0x${ADDRESS.slice(2)}`]) {
    t.equal(read(param, form), format, form)
  }
  t.end()
})

t.test('hashes', (t) => {
  const param = hash('transactionHash', 'transaction hash')
  for (const form of [`0x${HASH}`, HASH]) t.same(read(param, form), Buffer.from(HASH, 'hex'))
  for (const form of ['', '0x0', `0x${HASH}00`, 5, {}]) {
    t.equal(read(param, form), 'Invalid transaction hash: incorrect length.')
  }
  t.equal(read(param, `0X${HASH}`), 'Invalid transaction hash format: invalid hex value')
  t.equal(read(param, null), 'transactionHash is null')
  t.end()
})

t.test('storage positions', (t) => {
  const param = slot()
  const cases: readonly [unknown, bigint | string][] = [
    ['0x0', 0n],
    ['0x', 0n],
    ['0x01', 1n],
    ['10', 10n],
    [1, 1n],
    [`0x${'f'.repeat(64)}`, (1n << 256n) - 1n],
    ['-1', 255n],
    [`0x1${'0'.repeat(64)}`, `Invalid param: 0x1${'0'.repeat(63)}...`],
    ['', 'Number values should not contain letters or hex values should start with 0x.'],
    ['ab', 'Number values should not contain letters or hex values should start with 0x.'],
    ['zz', 'Invalid param zz: value must be a valid hex or string number.'],
    ['0xzz', 'Invalid param 0xzz: value must be a valid hex or string number.'],
    ['0X1', 'Invalid param 0X1: value must be a valid hex or string number.'],
    ['-0x1', 'Invalid param -0x1: value must be a valid hex or string number.'],
    [null, 'position is null'],
  ]
  for (const [value, expected] of cases) t.equal(read(param, value), expected, String(value))
  t.end()
})

t.test('indices', (t) => {
  const malformed = 'Invalid index param: value must be a valid hex number.'
  const noHex = (text: string) => `Invalid argument "${text}": param should be a hex value string.`
  const cases: readonly [unknown, number | string][] = [
    ['0x0', 0],
    ['0x00a', 10],
    ['0x7fffffff', 0x7fffffff],
    ['0x80000000', malformed],
    ['', malformed],
    ['0x', malformed],
    ['0', noHex('0')],
    ['0xA', noHex('0xA')],
    [1, noHex('1')],
    [null, 'index is null'],
  ]
  for (const [value, expected] of cases) t.equal(read(index(), value), expected, String(value))
  t.end()
})

t.test('data and flags', (t) => {
  t.same(read(data(), '0xabc'), Buffer.from('0abc', 'hex'))
  t.same(read(data(), 'ABCD'), Buffer.from('abcd', 'hex'))
  t.same(read(data(), ''), Buffer.alloc(0))
  for (const form of ['0xzz', '0Xab', {}])
    t.equal(read(data(), form), 'Invalid data format: invalid hex value.')
  for (const value of [true, 'true', 1]) t.equal(read(flag('full'), value), true)
  for (const value of [false, 'false', 0]) t.equal(read(flag('full'), value), false)
  t.equal(read(flag('full'), null), 'Invalid full: boolean expected.')
  t.end()
})

t.test('block of a state read', (t) => {
  const param = blockRef()
  t.same(read(param, 'latest'), { kind: 'tag', tag: 'latest' })
  t.same(read(param, '0x10'), { kind: 'number', number: 16n, text: '0x10' })
  t.match(read(param, `0x${HASH}`), { kind: 'hash', inMap: false, requireCanonical: false })
  t.same(read(param, { blockNumber: '0x5' }), { kind: 'number', number: 5n, text: '0x5' })
  for (const requireCanonical of [true, 'true', 'TRUE']) {
    t.match(read(param, { blockHash: `0x${HASH}`, requireCanonical }), {
      kind: 'hash',
      requireCanonical: true,
    })
  }
  t.match(read(param, { blockHash: `0x${HASH}`, blockNumber: '0x5' }), { kind: 'hash', inMap: true })
  const cases: readonly [unknown, string][] = [
    ['0', 'invalid blocknumber 0'],
    ['', "Invalid block identifier ''"],
    ['LATEST', "Invalid block identifier 'LATEST'"],
    ['0xzz', "Invalid block identifier '0xzz'"],
    ['0x', "Invalid block identifier '0x'"],
    [`0x${HASH}00`, `invalid block identifier 0x${HASH}00`],
    [5, 'Invalid input'],
    [[], 'Invalid input'],
    [null, 'Invalid input'],
    [{}, 'Invalid block input'],
    [{ foo: 'bar' }, 'Invalid block input'],
    [{ blockHash: '0x12' }, 'Invalid block hash: incorrect length.'],
    [{ blockNumber: 'latest' }, 'Invalid param latest: value must be a valid hex or string number.'],
    [
      { blockHash: `0x${HASH}`, requireCanonical: 'maybe' },
      'Invalid input: requireCanonical must be a String "true" or "false"',
    ],
  ]
  for (const [value, expected] of cases) t.equal(read(param, value), expected, JSON.stringify(value))
  t.same(read(blockRef({ decimal: true }), '16'), { kind: 'number', number: 16n, text: '16' })
  t.equal(
    read(blockRef({ pending: false }), 'pending'),
    "The method eth_test doesn't support 'pending' as a parameter",
  )
  t.end()
})

t.test('block of a method by number', (t) => {
  const cases: readonly [unknown, string][] = [
    ['', 'Invalid block identifier: empty or null.'],
    ['genesis', "Invalid block identifier 'genesis'"],
    ['LATEST', 'invalid blocknumber LATEST'],
    ['6', 'invalid blocknumber 6'],
    [7, 'invalid blocknumber 7'],
    [{}, "Invalid block identifier '{'"],
    [[], "Invalid block identifier '['"],
    ['-0x1', "Invalid block identifier '-0x1'"],
  ]
  for (const [value, expected] of cases) t.equal(read(blockId(), value), expected, JSON.stringify(value))
  t.same(read(blockId(), 'safe'), { kind: 'tag', tag: 'safe' })
  t.same(read(optional(estimateBlock(), LATEST), null), { kind: 'tag', tag: 'latest' })
  t.same(read(estimateBlock(), '7'), { kind: 'number', number: 7n, text: '7' })
  t.match(read(estimateBlock(), 'LATEST'), /^Unsupported block specifier 'LATEST'/)
  t.end()
})

t.test('call objects', (t) => {
  const empty = {
    from: null,
    to: null,
    gas: null,
    gasLimit: null,
    gasPrice: null,
    maxFeePerGas: null,
    value: null,
    nonce: null,
    chainId: null,
    data: null,
  }
  for (const value of [{}, 'x', [], { to: null, foo: 1 }]) t.same(read(callObject(), value), empty)
  t.match(read(callObject(), { data: '0x01', input: '0x02', gas: 100, value: '0x0a' }), {
    data: Buffer.from([2]),
    gas: 100n,
    value: 10n,
  })
  t.equal(read(callObject(), { to: '0x1' }), 'Invalid address: null, empty or invalid hex value.')
  t.equal(read(callObject(), { data: '0xzz' }), 'Invalid data format: invalid hex value.')
  t.equal(
    read(callObject(), { value: 'xyz' }),
    'Invalid param xyz: value must be a valid hex or string number.',
  )
  t.equal(read(callObject(), null), 'call is null')
  const numbers = ['gas', 'gasLimit', 'gasPrice', 'value', 'nonce', 'chainId']
  for (const nothing of ['', [], {}, null]) {
    const fields = Object.fromEntries(numbers.map((name) => [name, nothing]))
    t.same(read(callObject(), fields), empty, `numbers that are ${JSON.stringify(nothing)} are absent`)
    for (const name of numbers) {
      const signed = read(transactionObject(), { [name]: nothing })
      if (nothing === null) t.match(signed, empty)
      else t.match(signed, /^Number values should not contain letters/, `${name} of what is to be signed`)
    }
  }
  t.end()
})

t.test('log filters', (t) => {
  const topic = Buffer.from(HASH, 'hex')
  for (const value of [{}, 'x', [], { address: null, topics: null }]) {
    t.same(read(logFilter(), value), {
      fromBlock: null,
      toBlock: null,
      blockHash: null,
      addresses: [],
      topics: [],
    })
  }
  t.match(read(logFilter(), { topics: `0x${HASH}` }), { topics: [[topic]] })
  t.match(read(logFilter(), { topics: [null, HASH, [HASH, null], [null], []] }), {
    topics: [[], [topic], [topic], [], []],
  })
  t.match(read(logFilter(), { address: [ADDRESS, `0x${ADDRESS}`] }), {
    addresses: [Buffer.from(ADDRESS, 'hex'), Buffer.from(ADDRESS, 'hex')],
  })
  const cases: readonly [unknown, string][] = [
    [{ fromBlock: '' }, 'Invalid block identifier: empty or null.'],
    [{ toBlock: '0xzz' }, "Invalid block identifier '0xzz'"],
    [{ blockHash: HASH, toBlock: 'latest' }, 'Cannot specify both blockHash and fromBlock/toBlock'],
    [{ address: '0x12' }, 'Invalid address: null, empty or invalid hex value.'],
    [{ topics: ['0x12'] }, 'Invalid topic: incorrect length.'],
    [{ topics: [[[HASH]]] }, 'Invalid topic: incorrect length.'],
  ]
  for (const [value, expected] of cases) t.equal(read(logFilter(), value), expected, JSON.stringify(value))
  t.end()
})

t.test('state overrides', (t) => {
  const param = stateOverrides()
  t.same(read(param, {}), [])
  t.same(read(param, { [ADDRESS]: { balance: '0x5', nonce: '0x1', code: '0x123', foo: 1 } }), [
    { address: Buffer.from(ADDRESS, 'hex'), balance: 5n, nonce: 1n, code: Buffer.from('0123', 'hex') },
  ])
  t.same(read(param, { [ADDRESS]: { stateDiff: { '0x3': '0x7' } } }), [
    { address: Buffer.from(ADDRESS, 'hex'), stateDiff: new Map([[3n, Buffer.from([7])]]) },
  ])
  const account = (fields: unknown) => read(param, { [ADDRESS]: fields })
  t.equal(account({ movePrecompileToAddress: ADDRESS }), 'movePrecompileToAddress is not supported')
  t.equal(account({ state: {}, stateDiff: {} }), 'state and stateDiff cannot be set at the same time')
  for (const fields of [
    { balance: 5 },
    { balance: 'zz' },
    { code: '0xzz' },
    { nonce: `0x1${'0'.repeat(16)}` },
  ]) {
    t.match(account(fields), /^Invalid override/)
  }
  for (const value of [null, [], 'x']) t.equal(read(param, value), 'Invalid overrides: object expected.')
  t.equal(read(param, { '0x12': {} }), 'Invalid address: null, empty or invalid hex value.')
  t.end()
})

t.test('block of a raw header', (t) => {
  const byHash = { kind: 'hash', hash: Buffer.from(HASH, 'hex') }
  for (const form of [`0x${HASH}`, HASH, HASH.toUpperCase()]) t.match(read(plainBlock(), form), byHash, form)
  t.same(read(plainBlock(), '0x12'), { kind: 'number', number: 18n, text: '0x12' })
  for (const form of ['12', HASH.slice(1), `${HASH}0`, `z${HASH.slice(1)}`]) {
    t.equal(read(plainBlock(), form), `invalid blocknumber ${form}`)
  }
  t.end()
})

t.test('trace filters', (t) => {
  const lists = { fromAddress: [ADDRESS], toAddress: [ADDRESS] }
  t.match(read(traceFilter(), lists), { mode: 'intersection' })
  for (const mode of ['union', 'intersection']) t.match(read(traceFilter(), { ...lists, mode }), { mode })
  t.match(read(traceFilter(), { ...lists, mode: null }), { mode: 'intersection' })
  for (const one of ['fromAddress', 'toAddress']) {
    t.match(read(traceFilter(), { [one]: [ADDRESS], mode: 'union' }), { mode: 'intersection' }, 'the same')
  }
  for (const mode of ['', 'UNION', 'both', 1, [], {}]) {
    t.match(read(traceFilter(), { mode }), /^Invalid mode .*"union" or "intersection" expected/)
  }
  for (const field of ['foo', 'Mode', 'toString', '__proto__']) {
    t.equal(
      read(traceFilter(), JSON.parse(`{"${field}":1}`)),
      `Invalid trace_filter parameters: unknown field "${field}".`,
    )
  }
  t.end()
})
