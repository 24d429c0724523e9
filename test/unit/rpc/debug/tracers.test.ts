import t from 'tap'
import { toHex } from '../../../../src/util/bytes.ts'
import { COW } from '../../../support/signedTransaction.ts'
import { openDevNode } from '../evm/devNode.ts'

const FROM = toHex(COW.address)
/** Stores 7 at 1, calls its creator with 1 wei and 4 bytes of data, logs. */
const CREATION = '0x600760015560aa60005260046000600460006001335af15060006000a0'

async function mined(t: Parameters<typeof openDevNode>[0]) {
  const node = await openDevNode(t)
  const { ask } = node
  await ask('hardhat_mine', '0x1c3')
  const mark = await ask('evm_snapshot')
  await ask('evm_mine')
  await ask('evm_revert', mark)
  const hash = await ask('eth_sendTransaction', { from: FROM, data: CREATION, value: '0x5', gas: '0x30d40' })
  await ask('evm_mine')
  const trace = (tracer: string | null, config: object = {}) =>
    ask('debug_traceTransaction', hash, { ...(tracer === null ? {} : { tracer }), ...config })
  return { ...node, hash, trace }
}

t.test("geth's tracers", async (t) => {
  const { answer, ask, hash, trace } = await mined(t)
  const calls = await trace('callTracer', { tracerConfig: { withLog: true } })
  const flat = await trace('flatCallTracer')
  t.match(flat, [
    { type: 'create', action: { from: FROM, value: '0x5' }, transactionHash: hash, traceAddress: [] },
    { type: 'call', action: { to: FROM, value: '0x1' }, traceAddress: [0] },
  ])
  t.same(flat, await ask('trace_transaction', hash))
  t.same(await trace('noopTracer'), {})
  const bytes = await trace('4byteTracer')
  t.same(bytes, { '0x00000000-0': 1 })
  const prestate = await trace('prestateTracer', { tracerConfig: { diffMode: true } })
  t.equal(prestate.post[calls.to].storage[`0x${'0'.repeat(63)}1`], `0x${'0'.repeat(63)}7`)
  const mux = {
    callTracer: { withLog: true },
    prestateTracer: { diffMode: true },
    flatCallTracer: null,
    noopTracer: {},
    '4byteTracer': {},
  }
  t.same(await trace('muxTracer', { tracerConfig: mux }), {
    callTracer: calls,
    prestateTracer: prestate,
    flatCallTracer: flat,
    noopTracer: {},
    '4byteTracer': bytes,
  })
  t.same(await trace('muxTracer', { tracerConfig: {} }), {})
  const blocks = await ask('debug_traceBlockByNumber', 'latest', { tracer: 'muxTracer', tracerConfig: mux })
  t.match(blocks, [{ txHash: hash, result: { callTracer: calls } }, { result: { noopTracer: {} } }])
  t.match(await ask('debug_traceCall', { to: FROM }, 'latest', { tracer: 'flatCallTracer' }), [
    { type: 'call' },
  ])
  for (const [options, message] of [
    [{ tracer: 'muxTracer' }, /tracerConfig names the tracers/],
    [{ tracer: 'muxTracer', tracerConfig: { muxTracer: {} } }, /unknown tracer "muxTracer"/],
    [{ tracer: 'muxTracer', tracerConfig: { constructor: {} } }, /unknown tracer "constructor"/],
    [{ tracer: 'constructor' }, /unknown tracer "constructor"/],
    [
      { tracer: 'muxTracer', tracerConfig: Object.fromEntries([...'abcdefghi'].map((x) => [x, {}])) },
      /at most 8/,
    ],
  ] as const) {
    t.match(await answer('debug_traceTransaction', hash, options), { error: { code: -32602, message } })
  }
})

t.test('a transaction that is unknown', async (t) => {
  const { answer } = await openDevNode(t)
  const unknown = `0x${'11'.repeat(32)}`
  for (const tracer of [
    'callTracer',
    'flatCallTracer',
    'prestateTracer',
    '4byteTracer',
    'noopTracer',
    'structLogger',
  ]) {
    t.same(await answer('debug_traceTransaction', unknown, { tracer }), {
      ...{ jsonrpc: '2.0', id: 1 },
      error: { code: -32000, message: 'transaction not found' },
    })
  }
  t.equal((await answer('debug_traceTransaction', unknown)).result, null, 'as the reference')
})

t.test("struct logs in geth's form when they are asked for", async (t) => {
  const { trace } = await mined(t)
  const { structLogs, ...rest } = await trace('structLogger')
  t.match(rest, { failed: false, gas: Number, returnValue: '0x' })
  t.same(structLogs[0], { pc: 0, op: 'PUSH1', gas: structLogs[0].gas, gasCost: 3, depth: 1, stack: [] })
  t.match(structLogs[1], { op: 'PUSH1', stack: ['0x7'] })
  const store = structLogs.find(({ op }: { op: string }) => op === 'SSTORE')
  t.same(store.storage, { [`${'0'.repeat(63)}1`]: `${'0'.repeat(63)}7` })
  t.equal(store.gasCost, 20_000)
  let gas = structLogs[0].gas
  for (const log of structLogs.filter(({ op }: { op: string }) => op !== 'CALL').slice(0, 5)) {
    t.equal(log.gas, gas, 'what one costs the next one lacks')
    gas -= log.gasCost
  }
  const more = await trace('structLogger', {
    enableMemory: true,
    disableStack: true,
    disableStorage: true,
    limit: 6,
  })
  t.equal(more.structLogs.length, 6)
  t.notOk('stack' in more.structLogs[1] || 'storage' in more.structLogs[2])
  t.notOk('memory' in more.structLogs[5], 'there is none yet')
  const reference = await trace(null)
  t.ok('contractAddress' in reference, 'the default is the form of the reference')
  t.same(await trace('STRUCTLOGS'), { ...rest, structLogs })
})
