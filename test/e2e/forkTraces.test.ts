import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createNode } from '../../src/library/developmentNode.ts'
import { FaultyProxy, type ProxiedRequest } from '../fork/faultyProxy.ts'
import { asking, makeUpstreamChain } from '../fork/upstreamChain.ts'
import { testFolder } from '../support/testFolder.ts'

type Block = { hash: string; transactions: string[]; uncles: string[] }

const isTrace = ({ method }: ProxiedRequest) => /^(debug|trace)_/.test(method)
const NO_METHOD = { error: { code: -32601, message: 'the method does not exist/is not available' } }
const number = (height: number) => `0x${height.toString(16)}`

/** A chain of every kind of transaction, and a proxy in front of it. */
async function openUpstream(t: Test) {
  const upstream = await createNode({ process: 'child' })
  t.teardown(() => upstream.stop())
  const ask = asking(upstream.url)
  const chain = await makeUpstreamChain(ask, 40, 23)
  const head = Number(await ask('eth_blockNumber'))
  const blocks = await Promise.all(
    Array.from({ length: head }, (_, index) =>
      ask<Block>('eth_getBlockByNumber', [number(index + 1), false]),
    ),
  )
  const proxy = await FaultyProxy.open(upstream.url)
  t.teardown(() => proxy.close())
  const start = async () => {
    const node = await createNode({
      fork: { url: proxy.url, block: head },
      config: { forkCache: join(testFolder(t), 'answers') },
    })
    t.teardown(() => node.stop())
    return asking(node.url)
  }
  return { proxy, start, askUpstream: ask, head, blocks, chain }
}

t.test('traces below a fork are made here where its network serves none', async (t) => {
  const { proxy, start, askUpstream, head, blocks, chain } = await openUpstream(t)
  proxy.fault = (request) => (isTrace(request) ? NO_METHOD : null)
  for (const client of ['Rhizome', 'RskJ']) {
    await t.test(`of an upstream as ${client}`, async (t) => {
      if (client === 'RskJ') {
        proxy.change = ({ method }, result) => (method === 'web3_clientVersion' ? 'RskJ/9.0.1' : result)
      }
      const ask = await start()
      const same = async (method: string, params: unknown[]) =>
        t.same(await ask(method, params), await askUpstream(method, params), `${method} ${params[0]}`)
      const busy = blocks.filter(({ transactions }) => transactions.length > 2)
      t.ok(busy.length > 5)
      // The newest is the block of the fork itself.
      const heights = [
        ...busy.slice(-6).map(({ hash }) => blocks.findIndex((block) => block.hash === hash) + 1),
        head,
      ]
      for (const height of heights) {
        const { hash, transactions } = blocks[height - 1] as Block
        await same('debug_traceBlockByNumber', [number(height), { tracer: 'callTracer' }])
        // The reference's tracer lists all cells of a contract, which a fork cannot.
        await same('debug_traceBlockByHash', [hash, { tracer: 'structLogger' }])
        await same('trace_block', [number(height)])
        await same('trace_replayBlockTransactions', [number(height), ['trace', 'stateDiff']])
        for (const transaction of transactions) {
          await same('debug_traceTransaction', [transaction, { tracer: 'prestateTracer' }])
          await same('trace_transaction', [transaction])
          await same('trace_replayTransaction', [transaction, ['trace']])
        }
        const call = { to: chain.token, data: '0x18160ddd' }
        const state = number(height - 1)
        await same('debug_traceCall', [call, state, { tracer: 'callTracer' }])
        await same('trace_call', [call, ['trace', 'stateDiff'], state])
        await same('eth_simulateV1', [{ blockStateCalls: [{ calls: [call] }] }, state])
        await same('trace_get', [transactions[0], ['0x0']])
      }
    })
  }

  await t.test('a second trace of a block asks for little', async (t) => {
    const ask = await start()
    const { transactions } = blocks[head - 1] as Block
    await ask('debug_traceBlockByNumber', [number(head), { tracer: 'callTracer' }])
    proxy.counts.clear()
    await ask('debug_traceTransaction', [transactions[0], { tracer: 'callTracer' }])
    t.ok(proxy.requests <= 4, `${proxy.requests} requests`)
  })

  await t.test('what cannot be traced is told in a sentence', async (t) => {
    const ask = await start()
    const failure = async (params: unknown[]) =>
      await ask('debug_traceBlockByNumber', params).then(
        () => 'no failure',
        (error: Error) => error.message,
      )
    const { fault } = proxy
    proxy.fault = (request) =>
      /^eth_get(Balance|StorageAt)$/.test(request.method)
        ? { error: { code: 4444, message: 'pruned history unavailable' } }
        : fault(request)
    t.match(await failure([number(head), {}]), /no longer keeps the state of block/)
    proxy.fault = (request) =>
      request.method === 'eth_getUncleByBlockHashAndIndex' ? { result: null } : fault(request)
    const withUncle = blocks.findIndex(({ uncles }) => uncles.length > 0) + 1
    t.ok(withUncle > 0)
    t.match(await failure([number(withUncle), {}]), /answer for uncle .* is not the block of its hash/)
    proxy.fault = fault
    t.equal(await failure([number(withUncle), {}]), 'no failure')
    t.equal(await ask('debug_traceBlockByNumber', [number(head + 1), {}]), null)
    const unknown = `0x${'77'.repeat(32)}`
    t.equal(await ask('debug_traceBlockByHash', [unknown, {}]), null)
    t.equal(await ask('trace_transaction', [unknown]), null)
  })
})

t.test('a simulation over blocks fetches ahead', async (t) => {
  const { proxy, start, head } = await openUpstream(t)
  proxy.change = ({ method }, result) => (method === 'web3_clientVersion' ? 'RskJ/9.0.1' : result)
  const ask = await start()
  const account = (index: number) => `0x${(0xabc0000 + index).toString(16).padStart(40, '0')}`
  const calls = (first: number) => Array.from({ length: 12 }, (_, index) => ({ to: account(first + index) }))
  proxy.delay = 30
  proxy.peak = 0
  const outcome = await ask<{ number: string; calls: { status: string }[] }[]>('eth_simulateV1', [
    { blockStateCalls: [{ calls: calls(0) }, { calls: calls(12) }] },
    'latest',
  ])
  t.same(
    outcome.map(({ number, calls }) => [Number(number), calls.map(({ status }) => status)]),
    [head + 1, head + 2].map((height) => [height, Array.from({ length: 12 }, () => '0x1')]),
  )
  t.ok(proxy.peak >= 10, `${proxy.peak} requests were under way at once`)
})
