import { join } from 'node:path'
import { Contract, JsonRpcProvider, Wallet } from 'ethers'
import t from 'tap'
import { createPublicClient, createWalletClient, http, parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { devnet } from '../../src/config/networks/devnet.ts'
import { createNode } from '../../src/library/developmentNode.ts'
import { readArtefact } from '../contracts/artefact.ts'
import { FaultyProxy } from '../fork/faultyProxy.ts'
import { asking, DESTROYER, makeUpstreamChain } from '../fork/upstreamChain.ts'
import { COW_KEY } from '../support/accounts.ts'
import { runCommand } from '../support/cli.ts'
import { startNode } from '../support/nodeProcess.ts'
import { testFolder } from '../support/testFolder.ts'

type Receipt = { status: string; blockNumber: string; gasUsed: string; logs: unknown[] }
type Block = {
  number: string
  hash: string
  parentHash: string
  gasLimit: string
  timestamp: string
  difficulty: string
}

const BRIDGE = '0x0000000000000000000000000000000001000006'
const STRANGER = '0x00000000000000000000000000000000000c0de5'
const word = (value: number) => value.toString(16).padStart(64, '0')

t.test('a chain goes on from a block of another one', async (t) => {
  const upstream = await createNode({ process: 'child' })
  t.teardown(() => upstream.stop())
  const askUpstream = asking(upstream.url)
  const chain = await makeUpstreamChain(askUpstream, 40, 11)
  // The last blocks are for certain: a contract with cells, and none.
  await askUpstream('eth_sendTransaction', [
    { from: chain.sender, to: chain.factory, data: DESTROYER, gas: '0x200000' },
  ])
  const destroyerCode = await askUpstream<string>('eth_getCode', [chain.destroyer, 'latest'])
  t.not(destroyerCode, '0x')
  const write = (slot: number, value: number) => ({
    from: chain.sender,
    to: chain.destroyer,
    data: `0x${word(slot)}${word(value)}`,
    gas: '0x50000',
  })
  for (const slot of [1, 2]) await askUpstream('eth_sendTransaction', [write(slot, 7)])
  const head = Number(await askUpstream('eth_blockNumber'))
  const proxy = await FaultyProxy.open(upstream.url)
  t.teardown(() => proxy.close())
  const folder = testFolder(t)
  const forkCache = join(folder, 'answers')
  const dataDir = join(folder, 'data')
  const options = { fork: { url: proxy.url, block: head }, dataDir, config: { forkCache } }
  const node = await createNode(options)
  t.teardown(() => node.stop())
  const ask = asking(node.url)

  await t.test('it begins there', async (t) => {
    t.equal(Number(await ask('eth_blockNumber')), head)
    t.equal(node.chainId, 33)
    t.same(
      await ask('eth_getBlockByNumber', ['latest', true]),
      await askUpstream('eth_getBlockByNumber', ['latest', true]),
    )
    t.equal(proxy.counts.get('eth_getCode') ?? 0, 0, 'state is not asked for before it is read')
  })

  await t.test('what is below it is the upstream, what is above is not', async (t) => {
    const five = await askUpstream<Block & { transactions: string[] }>('eth_getBlockByNumber', ['0x5', false])
    const [hash = ''] = five.transactions
    const requests: [string, unknown[]][] = [
      ['eth_getBlockByNumber', ['0x5', true]],
      ['eth_getBlockByNumber', ['earliest', false]],
      ['eth_getBlockByHash', [five.hash, false]],
      ['eth_getTransactionByHash', [hash]],
      ['eth_getTransactionReceipt', [hash]],
      ['eth_getBlockReceipts', ['0x5']],
      ['eth_getBlockTransactionCountByNumber', ['0x5']],
      ['eth_getTransactionByBlockNumberAndIndex', ['0x5', '0x0']],
      ['eth_getBalance', [chain.sender, '0x5']],
      ['eth_getBalance', [chain.sender, { blockHash: five.hash }]],
      ['eth_call', [{ to: chain.token, data: '0x18160ddd' }, '0x10']],
      ['eth_getLogs', [{ fromBlock: '0x1', toBlock: 'latest' }]],
      ['eth_getLogs', [{ blockHash: five.hash }]],
      ['debug_traceTransaction', [hash, { tracer: 'callTracer' }]],
    ]
    for (const [method, params] of requests) {
      t.same(await ask(method, params), await askUpstream(method, params), method)
    }
    t.equal(await ask('eth_getBlockByNumber', [`0x${(head + 1).toString(16)}`, false]), null)
    const later = await askUpstream<string>('eth_sendTransaction', [
      { from: chain.sender, to: STRANGER, value: '0x5' },
    ])
    t.ok(await askUpstream('eth_getTransactionReceipt', [later]))
    t.equal(await ask('eth_getTransactionByHash', [later]), null)
    t.equal(await ask('eth_getTransactionReceipt', [later]), null)
    await t.rejects(ask('eth_call', [{ to: chain.failures, data: '0x0' }, '0x5']), /./)
  })

  await t.test('its blocks follow', async (t) => {
    const parent = await ask<Block>('eth_getBlockByNumber', ['latest', false])
    const hash = await ask<string>('eth_sendTransaction', [
      { from: chain.sender, to: STRANGER, value: '0x5' },
    ])
    const receipt = await ask<Receipt>('eth_getTransactionReceipt', [hash])
    t.match(receipt, { status: '0x1', blockNumber: `0x${(head + 1).toString(16)}` })
    const block = await ask<Block>('eth_getBlockByNumber', ['latest', false])
    t.equal(block.parentHash, parent.hash)
    t.ok(Number(block.timestamp) > Number(parent.timestamp))
    t.ok(Math.abs(Number(block.gasLimit) - Number(parent.gasLimit)) <= Number(parent.gasLimit) / 1024)
    t.equal(await ask('eth_getBalance', [STRANGER, 'latest']), '0x5')
    t.equal(await ask('eth_getBalance', [STRANGER, `0x${head.toString(16)}`]), '0x0')
    const logs = await ask<{ blockNumber: string }[]>('eth_getLogs', [
      { fromBlock: '0x1', toBlock: 'latest' },
    ])
    t.ok(
      logs.some(({ blockNumber }) => Number(blockNumber) === head + 1),
      'logs of both parts',
    )
    t.ok(logs.some(({ blockNumber }) => Number(blockNumber) < head))
    t.match(await ask('rsk_getBridgeStatus'), { blockNumber: `0x${(head + 1).toString(16)}` })
  })

  await t.test('what was changed here counts, also where nothing is left', async (t) => {
    const snapshot = await ask('evm_snapshot')
    t.equal(Number(await ask('eth_getStorageAt', [chain.destroyer, '0x1', 'latest'])), 7)
    await ask('eth_sendTransaction', [write(1, 0)])
    t.equal(Number(await ask('eth_getStorageAt', [chain.destroyer, '0x1', 'latest'])), 0, 'a zero is a value')
    t.equal(Number(await ask('eth_getStorageAt', [chain.destroyer, '0x1', `0x${head.toString(16)}`])), 7)
    // It destroys itself: cell 2 was never read here.
    await ask('eth_sendTransaction', [{ from: chain.sender, to: chain.destroyer, gas: '0x50000' }])
    t.equal(await ask('eth_getCode', [chain.destroyer, 'latest']), '0x')
    t.equal(Number(await ask('eth_getStorageAt', [chain.destroyer, '0x2', 'latest'])), 0)
    await ask('eth_sendTransaction', [
      { from: chain.sender, to: chain.factory, data: DESTROYER, gas: '0x200000' },
    ])
    t.equal(await ask('eth_getCode', [chain.destroyer, 'latest']), destroyerCode)
    t.equal(Number(await ask('eth_getStorageAt', [chain.destroyer, '0x0', 'latest'])), 1)
    t.equal(
      Number(await ask('eth_getStorageAt', [chain.destroyer, '0x2', 'latest'])),
      0,
      'what it had is gone',
    )
    await ask('evm_revert', [snapshot])
    t.equal(Number(await ask('eth_getStorageAt', [chain.destroyer, '0x1', 'latest'])), 7)
    t.equal(Number(await ask('eth_getStorageAt', [chain.destroyer, '0x2', 'latest'])), 7)
  })

  await t.test('hashes and fields of old blocks', async (t) => {
    const hash = await ask<string>('eth_sendTransaction', [
      { from: chain.sender, to: chain.hashes, data: `0x${word(20)}`, gas: '0x50000' },
    ])
    const { blockNumber } = await ask<Receipt>('eth_getTransactionReceipt', [hash])
    const old = `0x${(Number(blockNumber) - 20).toString(16)}`
    const { hash: expected } = await askUpstream<Block>('eth_getBlockByNumber', [old, false])
    t.equal(await ask('eth_getStorageAt', [chain.hashes, '0x0', 'latest']), expected)
    // getBlockHash(int256) of the contract BlockHeader, at the block of the fork itself.
    const call = [
      { to: '0x0000000000000000000000000000000001000010', data: `0x1d99ae3f${word(9)}` },
      `0x${head.toString(16)}`,
    ]
    const [here, there] = await Promise.allSettled([ask('eth_call', call), askUpstream('eth_call', call)])
    t.equal(here.status, there.status)
    if (here.status === 'fulfilled' && there.status === 'fulfilled') t.equal(here.value, there.value)
  })

  await t.test('accounts that nobody has a key of, tokens, the Bridge', async (t) => {
    const whale = '0x0a3aa774752ec2042c46548456c094a76c7f3a79'
    await ask('hardhat_impersonateAccount', [BRIDGE])
    const sent = await ask<string>('eth_sendTransaction', [
      { from: BRIDGE, to: STRANGER, value: '0x1', gasPrice: '0x0' },
    ])
    t.match(await ask('eth_getTransactionReceipt', [sent]), { status: '0x1' })
    await ask('anvil_dealERC20', [STRANGER, chain.token, '0x123'])
    const balanceOf = { to: chain.token, data: `0x70a08231${STRANGER.slice(2).padStart(64, '0')}` }
    t.equal(Number(await ask('eth_call', [balanceOf, 'latest'])), 0x123)
    // getFederationSize()
    const size = { to: BRIDGE, data: '0x802ad4b6' }
    t.equal(Number(await ask('eth_call', [{ to: chain.token, data: '0x18160ddd' }, 'latest'])), 1_000_000)
    t.equal(
      await ask('eth_call', [size, 'latest']),
      await askUpstream('eth_call', [size, `0x${head.toString(16)}`]),
    )
    await ask('hardhat_setBalance', [whale, '0x7'])
    t.equal(await ask('eth_getBalance', [whale, 'latest']), '0x7')
    await t.rejects(ask('eth_getProof', [whale, [], 'latest']), /is not there on a fork/)
    await t.rejects(ask('anvil_dumpState'), /is not there on a fork/)
    await t.rejects(
      ask('debug_storageRangeAt', ['latest', 0, chain.token, '0x0', 10]),
      /is not there on a fork/,
    )
    await t.rejects(ask('anvil_rollback', [100]), /Invalid depth/)
  })

  await t.test('viem and ethers', async (t) => {
    const transport = http(node.url)
    const account = privateKeyToAccount(COW_KEY as `0x${string}`)
    const client = createPublicClient({ transport, pollingInterval: 50 })
    const wallet = createWalletClient({ transport, account })
    const hash = await wallet.sendTransaction({
      chain: null,
      to: STRANGER,
      value: parseEther('1'),
      type: 'legacy',
    })
    t.equal((await client.waitForTransactionReceipt({ hash })).status, 'success')
    t.equal(
      await client.readContract({
        address: chain.token as `0x${string}`,
        abi: readArtefact('Token').abi as [],
        functionName: 'symbol',
      }),
      await client.readContract({
        address: chain.token as `0x${string}`,
        abi: readArtefact('Token').abi as [],
        functionName: 'symbol',
        blockNumber: 10n,
      }),
    )
    const provider = new JsonRpcProvider(node.url, undefined, { pollingInterval: 50, cacheTimeout: -1 })
    t.teardown(() => provider.destroy())
    const token = new Contract(chain.token, readArtefact('Token').abi as [], new Wallet(COW_KEY, provider))
    const transfer = (await token.getFunction('transfer')(STRANGER, 1n)) as {
      wait(): Promise<{ status: number }>
    }
    t.equal((await transfer.wait()).status, 1)
  })

  await t.test('a reset goes back to the fork', async (t) => {
    await ask('hardhat_reset', [{ forking: { jsonRpcUrl: proxy.url, blockNumber: head } }])
    t.equal(Number(await ask('eth_blockNumber')), head)
    t.equal(await ask('eth_getBalance', [STRANGER, 'latest']), '0x0')
    await ask('eth_sendTransaction', [{ from: chain.sender, to: STRANGER, value: '0x9' }])
  })

  await t.test('another start goes on with it, without the upstream', async (t) => {
    await node.stop()
    const before = proxy.requests
    const again = await createNode({
      ...options,
      fork: { url: proxy.url },
      config: { forkCache, offline: true },
    })
    t.teardown(() => again.stop())
    const askAgain = asking(again.url)
    t.equal(Number(await askAgain('eth_blockNumber')), head + 1)
    t.equal(await askAgain('eth_getBalance', [STRANGER, 'latest']), '0x9')
    t.equal(
      Number(await askAgain('eth_call', [{ to: chain.token, data: '0x18160ddd' }, 'latest'])),
      1_000_000,
    )
    await t.rejects(
      askAgain('eth_getBalance', ['0x00000000000000000000000000000000000fffff', 'latest']),
      /was never fetched: start without --offline/,
    )
    t.equal(proxy.requests, before)
    await again.stop()
    await t.rejects(createNode({ ...options, fork: { url: proxy.url, block: 3 } }), /holds a fork of block/)
    await t.rejects(createNode({ dataDir }), /holds a fork of a network/)
  })

  await t.test('a fork of the same block asks for nothing that the first one has read', async (t) => {
    const second = await createNode({ fork: options.fork, config: { forkCache } })
    t.teardown(() => second.stop())
    proxy.counts.clear()
    t.equal(
      Number(await asking(second.url)('eth_call', [{ to: chain.token, data: '0x18160ddd' }, 'latest'])),
      1_000_000,
    )
    t.equal(proxy.requests, 0)
  })
})

t.test('a fork of another network has its rules, and tells no key of an address', async (t) => {
  const upstream = await startNode({
    dataDir: join(testFolder(t), 'upstream'),
    args: ['--network', 'devnet', '--no-peers', '--no-mining'],
  })
  t.teardown(() => upstream.stop())
  const folder = testFolder(t)
  const dataDir = join(folder, 'fork')
  const url = `${upstream.url}/?key=a-secret-key`
  const args = ['--fork-url', url, '--fork-cache', join(folder, 'answers'), '--client-name', 'hardhat']
  const node = await startNode({ dataDir, args })
  t.teardown(() => node.stop())
  const first = await node.request<Block>('eth_getBlockByNumber', ['latest', false])
  t.match(first, { number: '0x0', hash: devnet.genesis.hash })
  t.equal(Number(await node.request('eth_chainId')), devnet.chainId)
  const [account = ''] = await node.request<string[]>('eth_accounts')
  t.equal(account, '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266')
  const hash = await node.request('eth_sendTransaction', [{ from: account, to: STRANGER, value: '0x1' }])
  t.match(await node.request('eth_getTransactionReceipt', [hash]), { status: '0x1', blockNumber: '0x1' })
  await node.request('evm_increaseTime', [1_000_000])
  await node.request('evm_mine')
  t.match(node.output(), /Fork +of block 0 0x[0-9a-f]{64}, from 127\.0\.0\.1/)
  t.notMatch(node.output(), 'a-secret-key')
  await node.stop()
  const shown = await runCommand(['config', 'show', '--fork-url', url])
  t.notMatch(shown.stdout, 'a-secret-key')
  const plain = await runCommand(['start', '--data-dir', dataDir, '--network', 'devnet'])
  t.not(plain.code, 0)
  t.match(plain.stderr, 'holds a fork of a network')
})
