import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { WebSocket } from 'ws'
import { createNode } from '../../src/library/developmentNode.ts'
import { FaultyProxy } from '../fork/faultyProxy.ts'
import { asking } from '../fork/upstreamChain.ts'
import { startNode } from '../support/nodeProcess.ts'
import { testFolder } from '../support/testFolder.ts'

const SENDER = '0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826'
const STRANGER = '0x00000000000000000000000000000000000c0de5'
/** Blocks above which every rule of regtest is in use. */
const PAST_UPGRADES = 460

t.test('a node goes on as a fork, as another one, and as none', async (t) => {
  const [upstream, other] = await Promise.all([
    createNode({ process: 'child' }),
    createNode({ process: 'child' }),
  ])
  t.teardown(() => Promise.all([upstream.stop(), other.stop()]))
  const askUpstream = asking(upstream.url)
  await askUpstream('hardhat_mine', [`0x${PAST_UPGRADES.toString(16)}`])
  await askUpstream('eth_sendTransaction', [{ from: SENDER, to: STRANGER, value: '0x5' }])
  await asking(other.url)('hardhat_mine', ['0x20'])
  const proxy = await FaultyProxy.open(upstream.url)
  t.teardown(() => proxy.close())
  const dataDir = join(testFolder(t), 'data')
  const node = await createNode({ dataDir })
  t.teardown(() => node.stop())
  const ask = asking(node.url)
  const failure = async (method: string, params: unknown[]) =>
    await ask(method, params).then(String, (error: Error) => error.message)
  await ask('eth_sendTransaction', [{ from: SENDER, to: STRANGER, value: '0x1' }])
  const filter = await ask('eth_newBlockFilter')
  const snapshot = await ask('evm_snapshot')
  const socket = new WebSocket(node.webSocketUrl)
  await new Promise((resolve) => socket.once('open', resolve))
  const closed = new Promise((resolve) => socket.once('close', resolve))

  await t.test('what is no network changes nothing, and tells no key', async (t) => {
    for (const jsonRpcUrl of ['http://127.0.0.1:1/a-secret-key', 'ftp://127.0.0.1/a-secret-key']) {
      const message = await failure('hardhat_reset', [{ forking: { jsonRpcUrl } }])
      t.match(message, /does not answer|expected addresses/)
      t.notMatch(message, 'a-secret-key')
    }
    t.match(
      await failure('hardhat_reset', [{ forking: { jsonRpcUrl: proxy.url, blockNumber: 9999 } }]),
      /has blocks up to/,
    )
    t.equal(Number(await ask('eth_blockNumber')), 1)
    t.equal(
      readdirSync(dataDir).some((name) => name.startsWith('reset-')),
      false,
    )
  })

  await t.test('a fork of the newest block but some', async (t) => {
    t.equal(await ask('hardhat_reset', [{ forking: { jsonRpcUrl: proxy.url } }]), true)
    t.equal(Number(await ask('eth_blockNumber')), PAST_UPGRADES + 1 - 12)
    await closed
    t.match(await failure('eth_getFilterChanges', [filter]), /filter not found/i)
    t.equal(await ask('evm_revert', [snapshot]), false)
    t.equal(await ask('eth_getBalance', [STRANGER, 'latest']), '0x0')
  })

  await t.test('a fork of another block, rewound, then of another network', async (t) => {
    const blockNumber = PAST_UPGRADES + 1
    t.equal(await ask('anvil_reset', [{ forking: { blockNumber } }]), true)
    t.equal(Number(await ask('eth_blockNumber')), blockNumber)
    t.equal(await ask('eth_getBalance', [STRANGER, 'latest']), '0x5')
    await ask('hardhat_mine', ['0x3'])
    await ask('anvil_rollback', [2])
    await ask('eth_sendTransaction', [{ from: SENDER, to: STRANGER, value: '0x2' }])
    t.equal(Number(await ask('eth_blockNumber')), blockNumber + 2)
    t.equal(await ask('eth_getBalance', [STRANGER, 'latest']), '0x7')
    t.equal(await ask('hardhat_reset', [{ forking: { jsonRpcUrl: other.url, blockNumber: 7 } }]), true)
    t.equal(Number(await ask('eth_blockNumber')), 7)
    // What was before closes when it has answered.
    const folders = () => readdirSync(dataDir).filter((name) => name.startsWith('reset-'))
    while (folders().length > 1) await new Promise((resolve) => setTimeout(resolve, 20))
    t.equal(folders().length, 1)
  })

  await t.test('no fork', async (t) => {
    t.equal(await ask('hardhat_reset', []), true)
    t.equal(Number(await ask('eth_blockNumber')), 0)
    await ask('eth_sendTransaction', [{ from: SENDER, to: STRANGER, value: '0x4' }])
    t.equal(await ask('eth_getBalance', [STRANGER, 'latest']), '0x4')
    t.match(await ask('anvil_nodeInfo'), { forkConfig: { forkBlockNumber: null } })
  })

  await t.test('the chain of the data directory is as it was', async (t) => {
    await node.stop()
    t.equal(
      readdirSync(dataDir).some((name) => name.startsWith('reset-')),
      false,
    )
    const again = await createNode({ dataDir })
    t.teardown(() => again.stop())
    t.equal(Number(await asking(again.url)('eth_blockNumber')), 1)
    t.equal(await asking(again.url)('eth_getBalance', [STRANGER, 'latest']), '0x1')
  })
})

t.test('pages of other origins reset nothing, and no key is logged', async (t) => {
  const upstream = await createNode({ process: 'child' })
  t.teardown(() => upstream.stop())
  await asking(upstream.url)('hardhat_mine', ['0x20'])
  const dataDir = join(testFolder(t), 'fork')
  const url = `${upstream.url}/?key=a-secret-key`
  const node = await startNode({ dataDir, args: ['--fork-url', url, '--fork-block', '3'] })
  t.teardown(() => node.stop())
  const post = (origin: string, method: string, params: unknown[]) =>
    fetch(node.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
  const before = await post('https://example.org', 'eth_blockNumber', [])
  t.not(before.headers.get('access-control-allow-origin'), 'https://example.org')
  const params = [{ forking: { jsonRpcUrl: url, blockNumber: 5 } }]
  await post('https://example.org', 'hardhat_reset', params)
  t.equal(Number(await node.request('eth_blockNumber')), 3)
  t.equal(await node.request('hardhat_reset', params), true)
  t.equal(Number(await node.request('eth_blockNumber')), 5)
  t.notMatch(node.output(), 'a-secret-key')
})

t.test('a fork asks other addresses of its network, and those alone', async (t) => {
  const upstream = await createNode({ process: 'child' })
  const other = await createNode({ process: 'child' })
  t.teardown(() => Promise.all([upstream.stop(), other.stop()]))
  const [first, second] = [await FaultyProxy.open(upstream.url), await FaultyProxy.open(upstream.url)]
  t.teardown(() => Promise.all([first.close(), second.close()]))
  const askUpstream = asking(upstream.url)
  const money = { from: SENDER, to: STRANGER, value: '0x5' }
  await askUpstream('eth_sendTransaction', [money])
  await askUpstream('hardhat_mine', ['0x20'])
  await asking(other.url)('hardhat_mine', ['0x2a'])
  const args = ['--fork-url', first.url, '--fork-block', '9', '--log-level', 'info']
  const node = await startNode({ dataDir: join(testFolder(t), 'fork'), args })
  t.teardown(() => node.stop())
  const refused = async (url: unknown) => {
    const error = await node.request('anvil_setRpcUrl', [url]).catch((thrown: unknown) => thrown)
    t.match(error, { code: -32602 })
    const { message } = error as Error
    t.notMatch(message, /secret|apikey/)
    return message
  }
  t.match(await refused(other.url), /has not block 9 0x[0-9a-f]{64}, which this chain is a fork of/)
  second.change = ({ method }, result) => (method === 'eth_chainId' ? '0x1e' : result)
  t.match(await refused(second.url), /chain id 30 .* not this fork's network/)
  second.change = ({ method }, result) => (method === 'web3_clientVersion' ? 'RskJ/9.1.0' : result)
  t.match(await refused(second.url), /does not answer by the hash of a block.*hardhat_reset/)
  second.change = (_, result) => result
  second.fault = ({ method }) =>
    method === 'eth_getProof' ? { error: { code: -32601, message: 'method not found' } } : null
  t.match(await refused(second.url), /does not prove state/)
  second.fault = () => null
  t.match(await refused(`${first.url},${other.url}`), /has not block 9/, 'each address is looked at')
  for (const url of ['', 'ftp://127.0.0.1/secret', 7, null]) t.match(await refused(url), /Invalid/)

  const before = first.requests
  t.equal(await node.request('anvil_setRpcUrl', [second.url]), null)
  await first.close()
  const asked = second.requests
  // State for the thread of the fork, a block below it for a worker.
  t.equal(await node.request('eth_getBalance', [STRANGER, 'latest']), '0x5')
  t.match(await node.request('eth_getBlockByNumber', ['0x3', false]), { number: '0x3' })
  t.ok(second.requests > asked)
  t.equal(first.requests, before)
  await node.request('eth_sendTransaction', [{ ...money, from: SENDER }])
  t.equal(await node.request('eth_getBalance', [STRANGER, 'latest']), '0xa')
  t.notMatch(node.output(), /secret-key|another-secret/)
  t.equal(
    await node.request('hardhat_reset', [{ forking: { blockNumber: 12 } }]),
    true,
    'a reset asks them, too',
  )
  t.equal(Number(await node.request('eth_blockNumber')), 12)

  await node.request('hardhat_reset', [])
  t.match(await refused(second.url), /this chain is no fork: .*--fork-url/)
})
