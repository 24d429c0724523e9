import { join } from 'node:path'
import t from 'tap'
import { createNode } from '../../src/library/developmentNode.ts'
import { FaultyProxy } from '../fork/faultyProxy.ts'
import { asking } from '../fork/upstreamChain.ts'
import { testFolder } from '../support/testFolder.ts'

t.test('a trace below a fork whose state comes too slowly is told in a sentence', async (t) => {
  const upstream = await createNode({ process: 'child' })
  t.teardown(() => upstream.stop())
  const askUpstream = asking(upstream.url)
  const sent = {
    from: '0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826',
    to: `0x${'5a'.repeat(20)}`,
    value: '0x5',
  }
  await askUpstream('eth_sendTransaction', [sent])
  await askUpstream('hardhat_mine', ['0x3'])
  const proxy = await FaultyProxy.open(upstream.url)
  t.teardown(() => proxy.close())
  proxy.fault = ({ method }) =>
    /^debug_trace/.test(method) ? { error: { code: -32601, message: 'the method does not exist' } } : null
  const node = await createNode({
    fork: { url: proxy.url, block: 4 },
    config: { forkCache: join(testFolder(t), 'answers'), forkTimeout: 1 },
  })
  t.teardown(() => node.stop())
  const ask = asking(node.url)
  proxy.delay = 700
  await t.rejects(ask('debug_traceBlockByNumber', ['0x1', { tracer: 'callTracer' }]), {
    message: /block 1 could not be executed within 1 s: .*\(--fork-timeout\)/,
  })
  proxy.delay = 0
  t.equal(await ask('eth_blockNumber'), '0x4')
})

t.test('a trace below a fork that needs too many requests is told in a sentence', async (t) => {
  const upstream = await createNode({ process: 'child' })
  t.teardown(() => upstream.stop())
  const askUpstream = asking(upstream.url)
  const first = 0xabcn << 100n
  const address = (number: bigint) => number.toString(16).padStart(40, '0')
  // PUSH20 first, JUMPDEST, DUP1, BALANCE, POP, PUSH1 1, ADD, DUP1, PUSH20 end, GT, PUSH1 21, JUMPI
  const readsBalances = (accounts: bigint) =>
    `0x73${address(first)}5b8031506001018073${address(first + accounts)}11601557`
  const from = '0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826'
  // An account takes at least three requests.
  await askUpstream('eth_sendTransaction', [{ from, data: readsBalances(1700n), gas: '0x600000' }])
  await askUpstream('eth_sendTransaction', [{ from, data: readsBalances(100n), gas: '0x600000' }])
  await askUpstream('hardhat_mine', ['0x3'])
  const proxy = await FaultyProxy.open(upstream.url)
  t.teardown(() => proxy.close())
  // As RSKj answers, which proves nothing.
  proxy.change = ({ method }, result) => (method === 'web3_clientVersion' ? 'RskJ/9.0.1' : result)
  let requests = 0
  proxy.fault = ({ method }) => {
    requests += 1
    return /^debug_trace/.test(method)
      ? { error: { code: -32601, message: 'the method does not exist' } }
      : null
  }
  const node = await createNode({
    fork: { url: proxy.url, block: 5 },
    config: { forkCache: join(testFolder(t), 'answers'), forkTimeout: 300 },
  })
  t.teardown(() => node.stop())
  const ask = asking(node.url)
  requests = 0
  await t.rejects(ask('debug_traceBlockByNumber', ['0x1', { tracer: 'callTracer' }]), {
    message: /this needs more than 5000 requests to the network that this chain is a fork of/,
  })
  t.ok(requests >= 5000 && requests < 5200, `${requests} requests were sent`)
  const [{ result }] = await ask<[{ result: { gasUsed: string } }]>('debug_traceBlockByNumber', [
    '0x2',
    { tracer: 'callTracer' },
  ])
  t.ok(Number(result.gasUsed) > 40_000, 'another trace has requests of its own')
})
