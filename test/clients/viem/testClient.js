/**
 * Every action of viem's test client, one test each. What an action is called on the wire, and its units, depend on the
 * mode (`anvil_setBalance`, `hardhat_setBalance`, `evm_setAccountBalance`): it is anvil where the node has that name and
 * Hardhat elsewhere; the few names that Ganache has are tried as well. VIEM_MODES names others.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import {
  createPublicClient,
  createTestClient,
  createWalletClient,
  defineChain,
  http,
  parseEther,
  testActions,
  toHex,
} from 'viem'

const URL = process.env.NODE_URL
const plain = createPublicClient({ transport: http(URL) })
const isAnvil = (await plain.request({ method: 'web3_clientVersion' })).startsWith('anvil/')
const MODES = process.env.VIEM_MODES?.split(',') ?? [isAnvil ? 'anvil' : 'hardhat', 'ganache']
/** Of the others viem makes names that Ganache never had, such as `ganache_setNonce`. */
const OF_GANACHE = 'getAutomine increaseTime mine revert setAutomine setBalance setCode snapshot'.split(' ')
const chain = defineChain({
  id: await plain.getChainId(),
  name: 'development',
  nativeCurrency: { name: 'RBTC', symbol: 'RBTC', decimals: 18 },
  rpcUrls: { default: { http: [URL] } },
})
const options = { chain, transport: http(URL), pollingInterval: 50, cacheTime: 0 }
const client = createPublicClient(options)
const [from, to] = await createWalletClient(options).getAddresses()
const bank = createWalletClient({ ...options, account: from })
const ACCOUNT = '0x00000000000000000000000000000000000000aa'
const WHALE = '0x00000000000000000000000000000000000000bb'
/** Its code gives back the cell 0. */
const READER = '0x60005460005260206000f3'

const send = async (values = {}) =>
  await bank.sendTransaction({ to, value: 1n, gas: 21_000n, gasPrice: await price(), ...values })
const price = async () => await client.getGasPrice()
const soon = async (check) => {
  for (let look = 0; look < 200; look += 1) {
    if (await check()) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  assert.fail('it does not come')
}

/** What each action is to do, by its name. @param admin the test client */
const CHECKS = {
  dropTransaction: async (admin) => {
    await withoutAutomine(admin, async () => {
      const hash = await send()
      await admin.dropTransaction({ hash })
      await admin.mine({ blocks: 1 })
      await assert.rejects(client.getTransactionReceipt({ hash }))
    })
  },
  dumpState: async (admin) => {
    assert.match(await admin.dumpState(), /^0x[0-9a-f]{20,}$/)
  },
  getAutomine: async (admin) => {
    assert.equal(await admin.getAutomine(), true)
  },
  getTxpoolContent: async (admin) => {
    await withoutAutomine(admin, async () => {
      const hash = await send()
      const { pending } = await admin.getTxpoolContent()
      // Transactions of one nonce are an array on this network (RSKj).
      const waiting = Object.values(Object.values(pending)[0] ?? {}).flat()
      assert.deepEqual(
        waiting.map((transaction) => transaction.hash),
        [hash],
      )
      await admin.mine({ blocks: 1 })
    })
  },
  getTxpoolStatus: async (admin) => {
    await withoutAutomine(admin, async () => {
      await send()
      assert.deepEqual(await admin.getTxpoolStatus(), { pending: 1, queued: 0 })
      await admin.mine({ blocks: 1 })
    })
  },
  impersonateAccount: async (admin) => {
    await admin.setBalance({ address: WHALE, value: parseEther('1') })
    await admin.impersonateAccount({ address: WHALE })
    const hash = await createWalletClient({ ...options, account: WHALE }).sendTransaction({
      to,
      value: 1n,
      gas: 21_000n,
      gasPrice: await price(),
    })
    assert.equal((await client.waitForTransactionReceipt({ hash })).from, WHALE)
    await admin.stopImpersonatingAccount({ address: WHALE })
  },
  increaseTime: async (admin) => {
    const { timestamp } = await client.getBlock()
    await admin.increaseTime({ seconds: 1_000 })
    await admin.mine({ blocks: 1 })
    assert.ok((await client.getBlock()).timestamp >= timestamp + 1_000n)
  },
  inspectTxpool: async (admin) => {
    await withoutAutomine(admin, async () => {
      await send()
      const { pending } = await admin.inspectTxpool()
      assert.match(JSON.stringify(pending), /1 wei/)
      await admin.mine({ blocks: 1 })
    })
  },
  loadState: async (admin) => {
    await admin.setBalance({ address: ACCOUNT, value: 77n })
    const state = await admin.dumpState()
    await admin.setBalance({ address: ACCOUNT, value: 78n })
    await admin.loadState({ state })
    assert.equal(await client.getBalance({ address: ACCOUNT }), 77n)
  },
  mine: async (admin) => {
    const number = await client.getBlockNumber()
    await admin.mine({ blocks: 3, interval: 10 })
    assert.equal(await client.getBlockNumber(), number + 3n)
  },
  removeBlockTimestampInterval: async (admin) => {
    await admin.setBlockTimestampInterval({ interval: 700 })
    await admin.removeBlockTimestampInterval()
    const before = (await client.getBlock()).timestamp
    await admin.mine({ blocks: 1 })
    assert.ok((await client.getBlock()).timestamp < before + 700n)
  },
  reset: async (admin) => {
    await admin.mine({ blocks: 2 })
    await admin.reset()
    assert.equal(await client.getBlockNumber(), 0n)
  },
  revert: async (admin) => {
    const balance = await client.getBalance({ address: ACCOUNT })
    const id = await admin.snapshot()
    await admin.setBalance({ address: ACCOUNT, value: balance + 1n })
    await admin.mine({ blocks: 1 })
    await admin.revert({ id })
    assert.equal(await client.getBalance({ address: ACCOUNT }), balance)
  },
  sendUnsignedTransaction: async (admin) => {
    await admin.impersonateAccount({ address: WHALE })
    await admin.setBalance({ address: WHALE, value: parseEther('1') })
    const hash = await admin.sendUnsignedTransaction({
      from: WHALE,
      to,
      value: 1n,
      gas: 21_000n,
      gasPrice: await price(),
    })
    await admin.mine({ blocks: 1 })
    assert.equal((await client.getTransactionReceipt({ hash })).from, WHALE)
    await admin.stopImpersonatingAccount({ address: WHALE })
  },
  setAutomine: async (admin) => {
    await withoutAutomine(admin, async () => {
      const number = await client.getBlockNumber()
      const hash = await send()
      assert.equal(await client.getBlockNumber(), number)
      await admin.mine({ blocks: 1 })
      assert.equal((await client.getTransactionReceipt({ hash })).status, 'success')
    })
    assert.equal(await admin.getAutomine(), true)
  },
  setBalance: async (admin) => {
    await admin.setBalance({ address: ACCOUNT, value: 99n })
    assert.equal(await client.getBalance({ address: ACCOUNT }), 99n)
  },
  setBlockGasLimit: async (admin) => {
    const { gasLimit } = await client.getBlock()
    await admin.setBlockGasLimit({ gasLimit: gasLimit + 2_000n })
    // Blocks of some networks move towards it.
    await admin.mine({ blocks: 5 })
    assert.equal((await client.getBlock()).gasLimit, gasLimit + 2_000n)
  },
  setBlockTimestampInterval: async (admin, mode) => {
    await admin.setBlockTimestampInterval({ interval: 5 })
    await admin.mine({ blocks: 1 })
    const { timestamp } = await client.getBlock()
    await admin.mine({ blocks: 1 })
    // viem gives Hardhat milliseconds, although the method is Foundry's and is in seconds.
    assert.equal((await client.getBlock()).timestamp, timestamp + (mode === 'hardhat' ? 5_000n : 5n))
    await admin.removeBlockTimestampInterval()
  },
  setCode: async (admin) => {
    await admin.setCode({ address: ACCOUNT, bytecode: READER })
    assert.equal(await client.getCode({ address: ACCOUNT }), READER)
  },
  setCoinbase: async (admin) => {
    await admin.setCoinbase({ address: ACCOUNT })
    await admin.mine({ blocks: 1 })
    assert.equal((await client.getBlock()).miner, ACCOUNT)
  },
  setIntervalMining: async (admin) => {
    const number = await client.getBlockNumber()
    await admin.setIntervalMining({ interval: 1 })
    await soon(async () => (await client.getBlockNumber()) > number)
    await admin.setIntervalMining({ interval: 0 })
  },
  setLoggingEnabled: async (admin) => {
    await admin.setLoggingEnabled(false)
    await admin.setLoggingEnabled(true)
  },
  setMinGasPrice: async (admin) => {
    await admin.setMinGasPrice({ gasPrice: 2n })
  },
  setNextBlockBaseFeePerGas: async (admin) => {
    await admin.setNextBlockBaseFeePerGas({ baseFeePerGas: 1n })
  },
  setNextBlockTimestamp: async (admin) => {
    const timestamp = (await client.getBlock()).timestamp + 5_000n
    await admin.setNextBlockTimestamp({ timestamp })
    await admin.mine({ blocks: 1 })
    assert.equal((await client.getBlock()).timestamp, timestamp)
  },
  setNonce: async (admin) => {
    await admin.setNonce({ address: ACCOUNT, nonce: 1_000 })
    assert.equal(await client.getTransactionCount({ address: ACCOUNT }), 1_000)
  },
  setRpcUrl: async (admin) => {
    // The chain of this suite is no fork: a node says so, or takes what means nothing to it.
    await admin.setRpcUrl('http://127.0.0.1:1').catch((error) => {
      assert.match(error.details, /this chain is no fork/)
    })
  },
  setStorageAt: async (admin) => {
    await admin.setCode({ address: ACCOUNT, bytecode: READER })
    await admin.setStorageAt({ address: ACCOUNT, index: 0, value: toHex(8, { size: 32 }) })
    assert.equal(BigInt((await client.call({ to: ACCOUNT })).data), 8n)
  },
  snapshot: async (admin) => {
    const first = await admin.snapshot()
    await admin.mine({ blocks: 1 })
    assert.notEqual(await admin.snapshot(), first)
  },
  stopImpersonatingAccount: async (admin) => {
    await admin.impersonateAccount({ address: WHALE })
    await admin.stopImpersonatingAccount({ address: WHALE })
    await assert.rejects(
      client.request({ method: 'eth_sendTransaction', params: [{ from: WHALE, to, value: '0x1' }] }),
    )
  },
}

async function withoutAutomine(admin, action) {
  await admin.setAutomine(false)
  try {
    await action()
  } finally {
    await admin.setAutomine(true)
  }
}

for (const mode of MODES) {
  describe(`test client, mode ${mode}`, () => {
    const admin = createTestClient({ ...options, mode })
    /** Actions fail alone: what one of them left behind is no matter of the next one. */
    after(async () => {
      await client.request({ method: 'evm_setAutomine', params: [true] }).catch(() => undefined)
    })
    const names = Object.keys(testActions({ mode })(admin)).filter((name) => name !== 'mode')
    it('has no action without a test', () => {
      assert.deepEqual(names.toSorted(), Object.keys(CHECKS).toSorted())
    })
    const tried = names.filter((name) => (mode === 'ganache' ? OF_GANACHE.includes(name) : true))
    for (const name of tried) {
      it(name, async () => {
        await CHECKS[name]?.(admin, mode)
      })
    }
  })
}
