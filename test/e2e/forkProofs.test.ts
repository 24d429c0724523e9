import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createNode } from '../../src/library/developmentNode.ts'
import { FaultyProxy } from '../fork/faultyProxy.ts'
import { type Ask, asking } from '../fork/upstreamChain.ts'
import { startNode } from '../support/nodeProcess.ts'
import { testFolder } from '../support/testFolder.ts'

type Proof = {
  balance: string
  nonce: string
  accountProof: string[]
  storageProof: { key: string; value: string; proof: string[] }[]
}

const SENDER = '0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826'
/** Cells 1 to 40 hold their numbers; it returns the sum of as many as it is called with. */
const SUM = `0x60285b80805560019003806002577f60003560005b81156017578154019060019003906005565b60005260206000f360005260206000f3`
const CELLS = 40
/** Blocks above which every rule of regtest is in use. */
const PAST_UPGRADES = 460
const word = (value: number) => value.toString(16).padStart(64, '0')
const account = (number: number) => `0x${(0xabc0000 + number).toString(16).padStart(40, '0')}`

/** A chain with a contract of many cells, and an upstream in front of it. */
async function openUpstream(t: Test) {
  const upstream = await createNode({ process: 'child' })
  t.teardown(() => upstream.stop())
  const ask = asking(upstream.url)
  await ask('hardhat_mine', [`0x${PAST_UPGRADES.toString(16)}`])
  const hash = await ask('eth_sendTransaction', [{ from: SENDER, data: SUM, gas: '0x200000' }])
  const { contractAddress, status } = await ask<{ contractAddress: string; status: string }>(
    'eth_getTransactionReceipt',
    [hash],
  )
  t.equal(status, '0x1')
  await ask('hardhat_setBalance', [account(1), '0x64'])
  await ask('hardhat_mine', ['0x2'])
  const proxy = await FaultyProxy.open(upstream.url)
  t.teardown(() => proxy.close())
  const start = async () => {
    const node = await createNode({
      fork: { url: proxy.url, block: Number(await ask('eth_blockNumber')) },
      config: { forkCache: join(testFolder(t), 'answers') },
    })
    t.teardown(() => node.stop())
    return node
  }
  return { proxy, start, contract: contractAddress, askUpstream: ask }
}

const sumOf = async (ask: Ask, to: string, from?: string) =>
  Number(
    await ask('eth_call', [
      { ...(from === undefined ? {} : { from }), to, data: `0x${word(CELLS)}` },
      'latest',
    ]),
  )

t.test('what a call reads is fetched with few requests', async (t) => {
  const { proxy, start, contract } = await openUpstream(t)

  await t.test('of an upstream that proves: one for each account and its cells', async (t) => {
    const node = await start()
    const ask = asking(node.url)
    proxy.counts.clear()
    t.equal(await sumOf(ask, contract, SENDER), (CELLS * (CELLS + 1)) / 2)
    t.same(
      Object.fromEntries(proxy.counts),
      { eth_getProof: 3, eth_getCode: 1 },
      'sender and contract, then all cells, and the code once',
    )
    proxy.counts.clear()
    t.equal(await sumOf(ask, contract, SENDER), (CELLS * (CELLS + 1)) / 2)
    t.equal(proxy.requests, 0, 'a second call asks for nothing')
    await ask('evm_snapshot')
    await ask('hardhat_mine', ['0x2'])
    await ask('anvil_rollback', [2])
    proxy.counts.clear()
    t.equal(await sumOf(ask, contract, SENDER), (CELLS * (CELLS + 1)) / 2)
    t.equal(proxy.requests, 0, 'nor does one on a chain that was rewound')
  })

  await t.test('of another upstream: each by itself, all at once', async (t) => {
    proxy.change = ({ method }, result) => (method === 'web3_clientVersion' ? 'RskJ/9.0.1' : result)
    proxy.delay = 30
    const node = await start()
    proxy.counts.clear()
    proxy.peak = 0
    t.equal(await sumOf(asking(node.url), contract, SENDER), (CELLS * (CELLS + 1)) / 2)
    t.equal(proxy.counts.get('eth_getStorageAt'), CELLS)
    t.equal(proxy.counts.get('eth_getProof'), undefined)
    t.ok(proxy.peak >= 10, `${proxy.peak} requests were under way at once`)
  })
})

t.test('an upstream that proves what it says is found to lie', async (t) => {
  const { proxy, start, contract } = await openUpstream(t)
  const node = await start()
  const ask = asking(node.url)
  const failure = async (method: string, params: unknown[]) =>
    await ask(method, params).then(String, (error: Error) => error.message)
  const lie = (change: (proof: Proof) => object) => {
    proxy.change = ({ method }, result) =>
      method === 'eth_getProof' ? { ...(result as Proof), ...change(result as Proof) } : result
  }
  const cell = ['eth_getStorageAt', [contract, '0x7', 'latest']] as const
  const lies: [string, (proof: Proof) => object, string, readonly unknown[]][] = [
    ['a balance', () => ({ balance: '0x65' }), 'eth_getBalance', [account(1), 'latest']],
    ['a nonce', () => ({ nonce: '0x1' }), 'eth_getTransactionCount', [account(1), 'latest']],
    ['an account that is not there', () => ({ balance: '0x1' }), 'eth_getBalance', [account(2), 'latest']],
    ['no proof', () => ({ accountProof: [] }), 'eth_getBalance', [account(1), 'latest']],
    [
      'a proof that ends early',
      ({ accountProof }) => ({ accountProof: accountProof.slice(0, -1) }),
      'eth_getBalance',
      [account(1), 'latest'],
    ],
    [
      'a proof with another node',
      ({ accountProof }) => ({ accountProof: accountProof.map((node) => `${node.slice(0, -1)}0`) }),
      'eth_getBalance',
      [account(1), 'latest'],
    ],
    ['no cell', () => ({ storageProof: [] }), ...cell],
    [
      'a cell of another slot',
      ({ storageProof }) => ({ storageProof: storageProof.map((one) => ({ ...one, proof: [] })) }),
      ...cell,
    ],
  ]
  proxy.change = ({ method }, result) =>
    method === 'eth_getCode' ? `${String(result).slice(0, -2)}00` : result
  t.match(await failure('eth_getCode', [contract, 'latest']), /code of .* is not that of the state root/)
  for (const [name, change, method, params] of lies) {
    lie(change)
    t.match(await failure(method, [...params]), /is not what the state root of the block shows/, name)
  }
  proxy.change = (_, result) => result
  t.equal(await ask('eth_getBalance', [account(1), 'latest']), '0x64', 'nothing of a lie is kept')
  t.equal(Number(await ask(...(cell as unknown as [string, unknown[]]))), 7)
  t.equal(await sumOf(ask, contract), (CELLS * (CELLS + 1)) / 2)
})

t.test('an upstream without proofs is believed, and that is said', async (t) => {
  const { proxy, askUpstream } = await openUpstream(t)
  const block = String(await askUpstream('eth_blockNumber'))
  const messages = /does not prove what it answers: what it says of accounts and cells is believed/
  const args = (name: string) => [
    '--fork-url',
    proxy.url,
    '--fork-block',
    block,
    '--fork-cache',
    join(testFolder(t), name),
  ]
  const proven = await startNode({ dataDir: join(testFolder(t), 'proven'), args: args('a') })
  t.teardown(() => proven.stop())
  t.equal(await proven.request('eth_getBalance', [account(1), 'latest']), '0x64')
  t.notMatch(proven.output(), messages)
  proxy.fault = ({ method }) =>
    method === 'eth_getProof' ? { error: { code: -32601, message: 'method not found' } } : null
  proxy.change = ({ method }, result) => (method === 'eth_getBalance' ? '0x65' : result)
  const believed = await startNode({ dataDir: join(testFolder(t), 'believed'), args: args('b') })
  t.teardown(() => believed.stop())
  t.equal(await believed.request('eth_getBalance', [account(1), 'latest']), '0x65')
  t.match(believed.output(), messages)
  t.notMatch(believed.output(), 'secret')
})
