import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { privateKeyToAccount } from 'viem/accounts'
import { main } from '../../src/config/networks/main.ts'
import { createNode } from '../../src/library/developmentNode.ts'
import { FaultyProxy } from '../fork/faultyProxy.ts'
import { asking } from '../fork/upstreamChain.ts'
import { COW_KEY } from '../support/accounts.ts'
import { startNode } from '../support/nodeProcess.ts'
import { testFolder } from '../support/testFolder.ts'

const SENDER = '0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826'
const EMPTY = '0x00000000000000000000000000000000000a11ce'
const ABSENT = '0x00000000000000000000000000000000000ab5e7'
/** Blocks above which every rule of regtest is in use. */
const PAST_UPGRADES = 460

/** Gas of a call of an account, as a program measures it. */
const gasOfCall = (address: string) => ({
  from: SENDER,
  data: `0x5a${'6000'.repeat(5)}73${address.slice(2)}6000f1505a900360005260206000f3`,
})

async function openUpstream(t: Test, config: { activationHeights?: string } = {}) {
  const upstream = await createNode({ process: 'child', config })
  t.teardown(() => upstream.stop())
  const ask = asking(upstream.url)
  await ask('hardhat_mine', [`0x${PAST_UPGRADES.toString(16)}`])
  // An account that is there and has nothing.
  await ask('hardhat_setBalance', [EMPTY, '0x5'])
  await ask('hardhat_setBalance', [EMPTY, '0x0'])
  await ask('evm_mine')
  const proxy = await FaultyProxy.open(upstream.url)
  t.teardown(() => proxy.close())
  return { proxy, ask }
}

t.test('a chain id of its own', async (t) => {
  const { proxy, ask: askUpstream } = await openUpstream(t)
  const dataDir = join(testFolder(t), 'data')
  const forkCache = join(testFolder(t), 'answers')
  const options = (chainId: number) => ({ fork: { url: proxy.url }, dataDir, config: { forkCache, chainId } })
  const node = await createNode(options(77))
  t.teardown(() => node.stop())
  const ask = asking(node.url)
  t.equal(node.chainId, 77)
  t.equal(await ask('eth_chainId'), '0x4d')
  t.equal(await ask('net_version'), '77')
  // CHAINID, PUSH1 0, MSTORE, PUSH1 32, PUSH1 0, RETURN
  t.equal(Number(await ask('eth_call', [{ data: '0x4660005260206000f3' }, 'latest'])), 77)
  const account = privateKeyToAccount(COW_KEY as `0x${string}`)
  const nonce = Number(await ask('eth_getTransactionCount', [account.address, 'latest']))
  const transaction = {
    type: 'legacy',
    chainId: 77,
    nonce,
    gas: 21_000n,
    gasPrice: 1_000_000_000n,
    to: ABSENT as `0x${string}`,
    value: 1n,
  } as const
  const signed = await account.signTransaction(transaction)
  await t.rejects(askUpstream('eth_sendRawTransaction', [signed]), /./, 'its network does not take it')
  const hash = await ask('eth_sendRawTransaction', [signed])
  t.match(await ask('eth_getTransactionReceipt', [hash]), { status: '0x1' })
  const ofNetwork = await account.signTransaction({ ...transaction, chainId: 33, nonce: nonce + 1 })
  await t.rejects(ask('eth_sendRawTransaction', [ofNetwork]), /./, 'nor does it take what is its network’s')
  await node.stop()
  await t.rejects(createNode(options(78)), /holds a fork with chain id 77/)
  const again = await createNode(options(0))
  t.teardown(() => again.stop())
  t.equal(await asking(again.url)('eth_chainId'), '0x4d')
  t.match(await asking(again.url)('eth_getTransactionByHash', [hash]), {
    from: account.address.toLowerCase(),
  })
  await t.rejects(createNode({ config: { chainId: 77 } }), /needs/)
})

t.test('an upstream with other heights, before programs knew hashes of code', async (t) => {
  const file = join(testFolder(t), 'heights.json')
  writeFileSync(file, JSON.stringify({ rskip140: -1, iris300: 455 }))
  const { proxy, ask: askUpstream } = await openUpstream(t, { activationHeights: file })
  const start = async (name: string) => {
    const config = { forkCache: join(testFolder(t), name), activationHeights: file }
    const node = await createNode({ fork: { url: proxy.url }, config })
    t.teardown(() => node.stop())
    return asking(node.url)
  }
  const block = `0x${(PAST_UPGRADES + 1 - 12).toString(16)}`
  const gas = [EMPTY, ABSENT].map(gasOfCall)
  const expected = await Promise.all(gas.map((call) => askUpstream('eth_call', [call, 'latest'])))
  t.not(expected[0], expected[1], 'an account that is there costs less')
  for (const version of ['Rhizome/1', 'RskJ/9.0.1']) {
    proxy.change = ({ method }, result) => (method === 'web3_clientVersion' ? version : result)
    const ask = await start(version.slice(0, 4))
    t.equal(await ask('eth_blockNumber'), block)
    await ask('hardhat_mine', ['0xc'])
    // The block of the fork is below the edits: there neither account is.
    t.same(
      await Promise.all(gas.map((call) => ask('eth_call', [call, 'latest']))),
      await Promise.all(gas.map((call) => askUpstream('eth_call', [call, block]))),
      version,
    )
    await ask('hardhat_reset', [{ forking: { jsonRpcUrl: proxy.url, blockNumber: PAST_UPGRADES + 1 } }])
    t.same(await Promise.all(gas.map((call) => ask('eth_call', [call, 'latest']))), expected, version)
  }
})

t.test(
  'heights of a network that has its own are told to be left out, and those that do not fit',
  async (t) => {
    const { proxy } = await openUpstream(t)
    const file = join(testFolder(t), 'heights.json')
    const refused = (pattern: RegExp) =>
      t.rejects(createNode({ fork: { url: proxy.url }, config: { activationHeights: file } }), {
        code: 'FORK',
        message: pattern,
      })
    // Without RSKIP126 genesis names another root.
    writeFileSync(file, JSON.stringify({ rskip126: -1 }))
    await refused(/is regtest, chain id 33, with its usual heights; .*: leave the option out/)
    const genesis: Record<string, string> = { '0x1e': main.genesis.hash, '0x1f': `0x${'22'.repeat(32)}` }
    for (const [id, pattern] of [
      ['0x1e', /is main, chain id 30, whose heights are those of its blocks: leave out --activation-heights/],
      ['0x1f', /chain id of testnet, 31, .*: its heights .*name a node of testnet with --fork-url/],
    ] as const) {
      proxy.change = ({ method, params }, result) =>
        method === 'eth_chainId'
          ? id
          : method === 'eth_getBlockByNumber' && params[0] === '0x0'
            ? { ...(result as object), hash: genesis[id] }
            : result
      await refused(pattern)
    }
  },
)

t.test('without its network a fork says how many blocks it can make', async (t) => {
  const { proxy } = await openUpstream(t)
  const dataDir = join(testFolder(t), 'data')
  const args = ['--fork-url', proxy.url, '--fork-cache', join(testFolder(t), 'answers')]
  const first = await startNode({ dataDir, args })
  t.teardown(() => first.stop())
  await first.request('evm_mine')
  // Old blocks are fetched ahead of the one that was asked for.
  const before = () => proxy.requests
  let requests = -1
  while (requests !== before()) {
    requests = before()
    await new Promise((resolve) => setTimeout(resolve, 300))
  }
  await first.stop()
  const second = await startNode({ dataDir, args: [...args, '--offline', '--log-level', 'info'] })
  t.teardown(() => second.stop())
  t.match(
    second.output(),
    /the network of the fork is not asked: blocks need none of its old blocks any more/,
  )
  await second.request('hardhat_mine', ['0x14'])
  t.equal(proxy.requests, requests)
  t.notMatch(second.output(), 'secret')
})
