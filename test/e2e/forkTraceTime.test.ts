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
