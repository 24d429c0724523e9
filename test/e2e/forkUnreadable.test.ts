import { join } from 'node:path'
import t from 'tap'
import { createNode } from '../../src/library/developmentNode.ts'
import { FaultyProxy } from '../fork/faultyProxy.ts'
import { startNode } from '../support/nodeProcess.ts'
import { testFolder } from '../support/testFolder.ts'

const BRIDGE = '0x0000000000000000000000000000000001000006'
const FROM = '0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826'

t.test('a transaction that no block of a fork can have leaves the pool with a reason', async (t) => {
  const upstream = await createNode({ process: 'child' })
  t.teardown(() => upstream.stop())
  const proxy = await FaultyProxy.open(upstream.url)
  t.teardown(() => proxy.close())
  // As RSKj answers, which proves nothing.
  proxy.change = ({ method }, result) => (method === 'web3_clientVersion' ? 'RskJ/9.0.1' : result)
  proxy.fault = ({ method }) =>
    method === 'rsk_getStorageBytesAt' ? { error: { code: -32601, message: 'method not found' } } : null
  const start = async (...args: string[]) => {
    const folder = testFolder(t)
    const cache = join(folder, 'answers')
    const node = await startNode({
      dataDir: join(folder, 'fork'),
      args: ['--fork-url', proxy.url, '--fork-block', '0', '--fork-cache', cache, ...args],
    })
    t.teardown(() => node.stop())
    await node.request('evm_setAutomine', [false])
    const hash = await node.request<string>('eth_sendTransaction', [
      { from: FROM, to: BRIDGE, value: '0x2386f26fc10000', gas: '0x100000' },
    ])
    await node.request('evm_mine')
    t.equal(await node.request('eth_getTransactionByHash', [hash]), null)
    t.equal(await node.request('eth_getTransactionReceipt', [hash]), null)
    return { node, hash }
  }

  await t.test('among the reports of executions', async (t) => {
    const { node, hash } = await start('--log-format', 'json', '--verbosity', 'failures')
    await node.untilPrinted('left the pool')
    const line =
      node
        .output()
        .split('\n')
        .find((text) => text.includes('left the pool')) ?? ''
    t.match(JSON.parse(line), {
      method: 'eth_sendTransaction',
      transaction: hash,
      error: /^it left the pool: the upstream does not give rsk_getStorageBytesAt, .*--fork-url$/,
    })
  })

  await t.test('in the log, where there are none', async (t) => {
    const { node, hash } = await start('--log-format', 'json', '--verbosity', 'off')
    await node.untilPrinted('left the pool')
    const line =
      node
        .output()
        .split('\n')
        .find((text) => text.includes('left the pool')) ?? ''
    t.match(JSON.parse(line), {
      transaction: hash,
      reason: /^the upstream does not give rsk_getStorageBytesAt/,
    })
  })
})
