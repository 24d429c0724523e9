import { join } from 'node:path'
import t from 'tap'
import { createNode } from '../../src/library/developmentNode.ts'
import { FaultyProxy, type ProxiedRequest } from '../fork/faultyProxy.ts'
import { asking, makeUpstreamChain } from '../fork/upstreamChain.ts'
import { testFolder } from '../support/testFolder.ts'

const BRIDGE = '0x0000000000000000000000000000000001000006'
/** An account that nobody has read. */
const account = (number: number) => `0x${(0xabc0000 + number).toString(16).padStart(40, '0')}`
const isState = ({ method }: ProxiedRequest) =>
  /^eth_get(Balance|TransactionCount|Code|StorageAt)$/.test(method)

t.test('an upstream that fails is told in sentences, and never answered for', async (t) => {
  const upstream = await createNode({ process: 'child' })
  t.teardown(() => upstream.stop())
  const askUpstream = asking(upstream.url)
  const chain = await makeUpstreamChain(askUpstream, 30, 5)
  const head = Number(await askUpstream('eth_blockNumber'))
  const proxy = await FaultyProxy.open(upstream.url)
  t.teardown(() => proxy.close())
  // As RSKj answers: state by number alone.
  proxy.change = ({ method }, result) => (method === 'web3_clientVersion' ? 'RskJ/9.0.1' : result)
  const start = () =>
    createNode({
      fork: { url: proxy.url, block: head },
      config: { forkCache: join(testFolder(t), 'answers') },
    })
  const node = await start()
  t.teardown(() => node.stop())
  const ask = asking(node.url)
  const failure = async (method: string, params: unknown[]): Promise<string> => {
    const message = await ask(method, params).then(
      () => 'no failure',
      (error: unknown) => (error as Error).message,
    )
    t.notMatch(message, /secret/, 'keys are not told')
    return message
  }
  const balance = (number: number) => ask('eth_getBalance', [account(number), 'latest'])

  t.equal(await balance(1), '0x0')
  const { number } = await ask<{ number: string }>('eth_getBlockByNumber', ['latest', false])
  t.equal(Number(number), head)

  await t.test('limited for a while', async (t) => {
    let refused = 0
    proxy.fault = (request) => {
      if (!isState(request) || refused >= 3) return null
      refused += 1
      return { status: 429 }
    }
    t.equal(await balance(2), '0x0')
    t.equal(refused, 3)
  })

  await t.test('limited for good', async (t) => {
    proxy.fault = (request) => (isState(request) ? { status: 429 } : null)
    t.match(await failure('eth_getBalance', [account(3), 'latest']), /refuses more requests for now/)
  })

  await t.test('the state is pruned, which is no absent account', async (t) => {
    proxy.fault = (request) =>
      isState(request) ? { error: { code: 4444, message: 'pruned history unavailable' } } : null
    t.match(await failure('eth_getBalance', [account(4), 'latest']), /no longer keeps the state of block/)
    t.match(await failure('eth_call', [{ to: account(4) }, 'latest']), /no longer keeps the state of block/)
  })

  await t.test('the state is pruned, in the words of RSKj, which has none for code and calls', async (t) => {
    const inWords = { code: -32600, message: `State not found for block with hash ${'ab'.repeat(32)}` }
    const internal = { code: -32603, message: 'Internal server error' }
    proxy.fault = (request) => {
      if (!isState(request)) return null
      return { error: ['eth_getCode', 'eth_call'].includes(request.method) ? internal : inWords }
    }
    t.match(await failure('eth_getCode', [account(20), 'latest']), /no longer keeps the state of block/)
    t.match(await failure('eth_call', [{ to: account(21) }, 'latest']), /no longer keeps the state of block/)
    proxy.fault = (request) => (request.method === 'eth_getCode' ? { error: internal } : null)
    t.match(await failure('eth_getCode', [account(22), 'latest']), /refuses eth_getCode at block/)
  })

  await t.test('an old block is not the one of its hash', async (t) => {
    const { change } = proxy
    const old = head - 20
    // What it says of the block is wrong; the header alone would still tell.
    proxy.change = (request, result) => {
      const changed = change(request, result)
      const isOld = request.method === 'eth_getBlockByNumber' && Number(request.params[0]) === old
      return isOld ? { ...(changed as object), gasUsed: '0x123' } : changed
    }
    proxy.fault = ({ method }) => (method === 'rsk_getRawBlockHeaderByNumber' ? { result: null } : null)
    const call = [{ to: chain.hashes, data: `0x${(20).toString(16).padStart(64, '0')}` }, 'latest']
    t.match(await failure('eth_call', call), /is not the block of its hash/)
    proxy.fault = () => null
    t.equal(await ask('eth_call', call), '0x', 'a header of that hash is enough')
    proxy.change = change
  })

  await t.test('it does not answer', async (t) => {
    const { port } = proxy
    await proxy.close()
    t.match(await failure('eth_getBalance', [account(5), 'latest']), /does not answer/)
    t.match(await failure('eth_getBlockByNumber', ['0x3', false]), /does not answer/)
    t.equal(await balance(1), '0x0', 'what was read is here')
    await proxy.listen(port)
    t.equal(await balance(5), '0x0')
  })

  await t.test('the block of the fork is gone', async (t) => {
    const { change } = proxy
    proxy.change = (request, result) => {
      const changed = change(request, result)
      const isPin = request.method === 'eth_getBlockByNumber' && Number(request.params[0]) === head
      return isPin ? { ...(changed as object), hash: `0x${'11'.repeat(32)}` } : changed
    }
    t.match(
      await failure('eth_getBalance', [account(6), 'latest']),
      /has another block .* than the one that this chain is a fork of/,
    )
    proxy.change = change
    t.match(await failure('eth_getBalance', [account(7), 'latest']), /begin a new fork/, 'it stays so')
    t.equal(await balance(5), '0x0', 'what was read is of the right block')
  })

  await t.test('a stop does not wait for an answer that does not come', async (t) => {
    const waiting = await start()
    t.teardown(() => waiting.stop())
    const asked = proxy.counts.get('eth_getBalance') ?? 0
    proxy.delay = 3_600_000
    const answer = asking(waiting.url)('eth_getBalance', [account(9), 'latest'])
    const told = t.rejects(answer)
    while (!proxy.counts.has('waited')) {
      if ((proxy.counts.get('eth_getBalance') ?? 0) > asked) proxy.counts.set('waited', 1)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    await waiting.stop()
    await told
    proxy.delay = 0
  })
  await node.stop()

  await t.test('cells of the Bridge are not given', async (t) => {
    proxy.fault = ({ method }) =>
      method === 'rsk_getStorageBytesAt' ? { error: { code: -32601, message: 'method not found' } } : null
    // getFederationSize()
    const size = { to: BRIDGE, data: '0x802ad4b6' }
    const without = await start()
    t.teardown(() => without.stop())
    const askWithout = asking(without.url)
    t.equal(await askWithout('eth_getBalance', [account(8), 'latest']), '0x0')
    await t.rejects(askWithout('eth_call', [size, 'latest']), /does not give rsk_getStorageBytesAt/)
    // Rewards are paid to the federation that methods of the Bridge name.
    await askWithout('hardhat_mine', ['0x2'])
    t.equal(Number(await askWithout('eth_blockNumber')), head + 2)
    // A transaction that needs such a cell is in no block, and holds up no other one.
    await askWithout('evm_setAutomine', [false])
    const from = '0x7986b3df570230288501eea3d890bd66948c9b79'
    const send = (to: string, sender: string) =>
      askWithout<string>('eth_sendTransaction', [
        { from: sender, to, value: '0x2386f26fc10000', gas: '0x100000' },
      ])
    const sent = [
      await send(account(9), from),
      await send(BRIDGE, '0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826'),
      await send(account(10), '0x0a3aa774752ec2042c46548456c094a76c7f3a79'),
    ]
    await askWithout('evm_mine')
    t.equal(Number(await askWithout('eth_blockNumber')), head + 3)
    const receipts = await Promise.all(
      sent.map((hash) => askWithout<{ status: string } | null>('eth_getTransactionReceipt', [hash])),
    )
    t.same(
      receipts.map((receipt) => receipt?.status ?? null),
      ['0x1', null, '0x1'],
    )
    t.equal(await askWithout('eth_getTransactionByHash', [sent[1]]), null, 'it left the pool')
    await without.stop()
    proxy.fault = () => null
  })

  await t.test('what cannot be forked is refused at the start', async (t) => {
    const refused = (block: number | string, pattern: RegExp) =>
      t.rejects(createNode({ fork: { url: proxy.url, block } }), { message: pattern })
    await refused(head + 100, /has blocks up to/)
    await refused(`0x${'22'.repeat(32)}`, /has no block/)
    proxy.fault = ({ method }) => (method === 'eth_chainId' ? { result: '0x1' } : null)
    await refused(
      head,
      /has the genesis of regtest with chain id 1, .*name a node of regtest with --fork-url/,
    )
    const pruned = { error: { code: -32600, message: 'State not found for block with hash ab' } }
    proxy.fault = ({ method }) => (method === 'rsk_getStorageBytesAt' ? pruned : null)
    await refused(head, /no longer keeps the state of block .*State not found/)
    proxy.fault = ({ method }) => {
      if (method === 'rsk_getStorageBytesAt') return { error: { code: -32601, message: 'no such method' } }
      return method === 'eth_getBalance' ? pruned : null
    }
    await refused(head, /no longer keeps the state of block .*State not found/)
    proxy.fault = () => null
    await t.rejects(createNode({ fork: { url: 'ftp://somewhere' } }), {
      message: /expected addresses such as/,
    })
  })
})
