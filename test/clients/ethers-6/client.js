import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import {
  Contract,
  ContractFactory,
  FallbackProvider,
  getAddress,
  id,
  isCallException,
  isError,
  JsonRpcProvider,
  NonceManager,
  parseEther,
  TypedDataEncoder,
  verifyMessage,
  verifyTypedData,
  Wallet,
  WebSocketProvider,
  ZeroAddress,
} from 'ethers'

const URL = process.env.NODE_URL
const artefact = (name) =>
  JSON.parse(readFileSync(new globalThis.URL(`../../contracts/${name}.json`, import.meta.url), 'utf8'))
const TOKEN = artefact('Token')
const FAILURES = artefact('Failures')
/** Behind this block the headers of the chain have another form. */
const FORK_BLOCK = 449
const SUPPLY = 10n ** 24n
const OTHER = getAddress('0x00000000000000000000000000000000000000aa')

/** Without its response cache: within 250 ms it would give nonces of before the last block. */
const OPTIONS = { cacheTimeout: -1 }
const provider = new JsonRpcProvider(URL, undefined, OPTIONS)
provider.pollingInterval = 100
after(() => provider.destroy())

const bank = await provider.getSigner(0)
await provider.send('hardhat_mine', [`0x${FORK_BLOCK.toString(16)}`])
/** A key of the client's own, with money. */
const wallet = Wallet.createRandom(provider)
await (await bank.sendTransaction({ to: wallet.address, value: parseEther('100') })).wait()

const deploy = async ({ abi, bytecode }, ...args) => {
  const made = await new ContractFactory(abi, bytecode, wallet).deploy(...args)
  return await made.waitForDeployment()
}
const token = await deploy(TOKEN, SUPPLY)
const failures = await deploy(FAILURES)
const fails = async (promise) =>
  await promise.then(
    () => assert.fail('nothing was thrown'),
    (error) => error,
  )
const soon = (check) =>
  new Promise((resolve, reject) => {
    const until = Date.now() + 30_000
    const look = () => {
      const found = check()
      if (found) resolve(found)
      else if (Date.now() > until) reject(new Error('it does not come'))
      else setTimeout(look, 20)
    }
    look()
  })

describe('provider', () => {
  it('the network', async () => {
    const { chainId, name } = await provider.getNetwork()
    assert.deepEqual([chainId, name], [33n, 'unknown'])
    assert.equal((await provider._detectNetwork()).chainId, 33n)
  })
  it('fees are those of legacy transactions', async () => {
    const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = await provider.getFeeData()
    assert.ok(gasPrice > 0n)
    assert.deepEqual([maxFeePerGas, maxPriorityFeePerGas], [null, null])
  })
  it('blocks by number, hash and tag', async () => {
    const latest = await provider.getBlock('latest')
    assert.equal(latest.number, await provider.getBlockNumber())
    assert.equal((await provider.getBlock(latest.number)).hash, latest.hash)
    assert.deepEqual((await provider.getBlock(latest.hash)).toJSON(), latest.toJSON())
    assert.equal((await provider.getBlock('earliest')).number, 0)
    assert.ok((await provider.getBlock('safe')).number <= latest.number)
    assert.ok((await provider.getBlock('finalized')).number <= latest.number)
    // What a pending block cannot know is null, as on the reference; this client wants its number.
    assert.ok(isError(await fails(provider.getBlock('pending')), 'BAD_DATA'))
    const pending = await provider.send('eth_getBlockByNumber', ['pending', false])
    assert.deepEqual([pending.parentHash, pending.number], [latest.hash, null])
    assert.equal(await provider.getBlock(10_000_000), null)
    assert.equal(await provider.getBlock(id('none')), null)
  })
  it('the transactions of a block', async () => {
    const receipt = await (await token.transfer(OTHER, 1)).wait()
    const block = await provider.getBlock(receipt.blockNumber, true)
    assert.equal(block.length, 2)
    const [first, remasc] = block.prefetchedTransactions
    assert.equal(first.hash, receipt.hash)
    assert.equal(first.from, wallet.address)
    assert.equal(remasc.to, '0x0000000000000000000000000000000001000008')
    assert.equal(remasc.gasLimit, 0n)
    assert.equal((await block.getTransaction(0)).hash, receipt.hash)
    assert.equal((await receipt.getBlock()).hash, block.hash)
  })
  it('accounts', async () => {
    const before = (await provider.getBlockNumber()) - 1
    assert.equal(await provider.getBalance(ZeroAddress), 0n)
    assert.ok((await provider.getBalance(wallet)) < parseEther('100'))
    assert.equal(
      await provider.getTransactionCount(wallet),
      (await provider.getTransactionCount(wallet, before)) + 1,
    )
    assert.equal(await provider.getCode(token), TOKEN.deployedBytecode)
    assert.equal(await provider.getCode(wallet), '0x')
    assert.equal(BigInt(await provider.getStorage(token, 2)), SUPPLY)
    assert.equal((await provider.listAccounts())[0].address, bank.address)
  })
  it('a batch of a hundred requests', async () => {
    const numbers = Array.from({ length: 250 }, (_, number) => number)
    const blocks = await Promise.all(numbers.map((number) => provider.getBlock(number)))
    assert.deepEqual(
      blocks.map(({ number }) => number),
      numbers,
    )
  })
  it('two providers that have to agree', async () => {
    const both = new FallbackProvider(
      [0, 1].map(() => ({ provider: new JsonRpcProvider(URL), stallTimeout: 5_000 })),
      undefined,
      { quorum: 2 },
    )
    assert.equal(await both.getCode(token), TOKEN.deployedBytecode)
    both.destroy()
  })
  it('names are not resolved', async () => {
    const error = await fails(provider.resolveName('rootstock.eth'))
    assert.ok(isError(error, 'UNSUPPORTED_OPERATION'))
  })
  it('unknown methods', async () => {
    const error = await fails(provider.send('eth_feeHistory', ['0x1', 'latest', []]))
    assert.ok(isError(error, 'UNSUPPORTED_OPERATION') || error.error?.code === -32601, error.message)
  })
})

describe('transactions', () => {
  it('of the wallet are legacy ones and found again', async () => {
    const sent = await wallet.sendTransaction({ to: OTHER, value: 5n })
    assert.equal(sent.type, 0)
    const receipt = await sent.wait()
    assert.deepEqual([receipt.status, receipt.gasUsed, receipt.fee], [1, 21_000n, 21_000n * receipt.gasPrice])
    const found = await provider.getTransaction(sent.hash)
    assert.deepEqual([found.value, found.chainId, found.nonce, found.index], [5n, 33n, sent.nonce, 0])
    assert.equal(found.signature.serialized, sent.signature.serialized)
    assert.equal(found.isMined() && found.isLegacy(), true)
    assert.equal((await sent.wait(1)).hash, sent.hash)
    assert.equal((await provider.waitForTransaction(sent.hash, 1, 5_000)).hash, sent.hash)
    assert.equal(await provider.getTransaction(id('none')), null)
    assert.equal(await provider.getTransactionReceipt(id('none')), null)
  })
  it('more than one confirmation', async () => {
    const sent = await wallet.sendTransaction({ to: OTHER, value: 1n })
    const waits = sent.wait(3)
    await provider.send('hardhat_mine', ['0x3'])
    assert.ok((await (await waits).confirmations()) >= 3)
  })
  it('of an account of the node', async () => {
    const receipt = await (await bank.sendTransaction({ to: OTHER, value: 1n })).wait()
    assert.equal(receipt.from, bank.address)
    const populated = await bank.populateTransaction({ to: OTHER, value: 1n })
    assert.equal(await bank.getNonce('pending'), (await provider.getTransactionCount(bank)) + 0)
    assert.equal(populated.to, OTHER)
  })
  it('signed bytes', async () => {
    const raw = await wallet.signTransaction(await wallet.populateTransaction({ to: OTHER, value: 2n }))
    const sent = await provider.broadcastTransaction(raw)
    assert.equal((await sent.wait()).status, 1)
    const error = await fails(provider.broadcastTransaction(raw))
    assert.ok(isError(error, 'NONCE_EXPIRED'), `${error.code} ${error.message}`)
  })
  // The pool takes nonces of at most 15 ahead, as the reference's.
  it('many at once, with a nonce manager', async () => {
    const manager = new NonceManager(wallet)
    const sent = await Promise.all(
      Array.from({ length: 15 }, () => manager.sendTransaction({ to: OTHER, value: 1n })),
    )
    const receipts = await Promise.all(sent.map((one) => one.wait()))
    assert.ok(receipts.every(({ status }) => status === 1))
  })
  it('without money', async () => {
    const poor = Wallet.createRandom(provider)
    const error = await fails(poor.sendTransaction({ to: OTHER, value: 1n }))
    assert.ok(isError(error, 'INSUFFICIENT_FUNDS'), `${error.code} ${error.message}`)
  })
  it('of type 2 are refused with a word on legacy ones', async () => {
    const error = await fails(
      wallet.sendTransaction({
        to: OTHER,
        type: 2,
        maxFeePerGas: 10n ** 9n,
        maxPriorityFeePerGas: 1n,
        gasLimit: 21_000,
      }),
    )
    assert.match(error.message, /legacy/)
  })
  it('a replaced one is noticed', async () => {
    await provider.send('evm_setAutomine', [false])
    try {
      const nonce = await wallet.getNonce()
      const { gasPrice } = await provider.getFeeData()
      const first = await wallet.sendTransaction({ to: OTHER, value: 1n, nonce, gasPrice })
      const cheap = await fails(wallet.sendTransaction({ to: OTHER, value: 2n, nonce, gasPrice }))
      assert.ok(isError(cheap, 'REPLACEMENT_UNDERPRICED'), `${cheap.code} ${cheap.message}`)
      const waits = fails(first.wait())
      assert.equal(await provider.getTransactionCount(wallet, 'pending'), nonce + 1)
      const second = await wallet.sendTransaction({ to: OTHER, value: 2n, nonce, gasPrice: gasPrice * 2n })
      await provider.send('evm_mine', [])
      const error = await waits
      assert.ok(isError(error, 'TRANSACTION_REPLACED'), `${error.code} ${error.message}`)
      assert.deepEqual([error.reason, error.replacement.hash], ['replaced', second.hash])
    } finally {
      await provider.send('evm_setAutomine', [true])
    }
  })
})

describe('signatures of the node', () => {
  const domain = { name: 'Rhizome', version: '1', chainId: 33, verifyingContract: OTHER }
  const types = {
    Person: [
      { name: 'name', type: 'string' },
      { name: 'wallet', type: 'address' },
    ],
  }
  const person = { name: 'Ada', wallet: OTHER }
  it('of messages', async () => {
    for (const message of ['hello', new Uint8Array([0, 255, 1])]) {
      assert.equal(verifyMessage(message, await bank.signMessage(message)), bank.address)
    }
  })
  it('of typed data', async () => {
    const signature = await bank.signTypedData(domain, types, person)
    assert.equal(verifyTypedData(domain, types, person, signature), bank.address)
    assert.match(TypedDataEncoder.hash(domain, types, person), /^0x[0-9a-f]{64}$/)
  })
})

describe('contracts', () => {
  it('reads, static calls, estimates', async () => {
    assert.equal(await token.symbol(), 'RHZ')
    assert.equal(await token.balanceOf(OTHER), 1n)
    assert.equal(await token.transfer.staticCall(OTHER, 1), true)
    assert.ok((await token.transfer.estimateGas(OTHER, 1)) > 21_000n)
    const early = (await provider.getTransactionReceipt(token.deploymentTransaction().hash)).blockNumber
    assert.equal(await token.balanceOf(OTHER, { blockTag: early }), 0n)
  })
  it('reads at a block without the contract', async () => {
    const error = await fails(token.symbol({ blockTag: 1 }))
    assert.ok(isError(error, 'BAD_DATA'), `${error.code} ${error.message}`)
  })
  it('sends and parses the logs of the receipt', async () => {
    const receipt = await (await token.approve(OTHER, 9)).wait()
    const [log] = receipt.logs
    assert.deepEqual([log.fragment.name, [...log.args]], ['Approval', [wallet.address, OTHER, 9n]])
    assert.equal(await token.allowance(wallet, OTHER), 9n)
  })
  it('finds past events', async () => {
    await (await token.transfer(bank, 3)).wait()
    const all = await token.queryFilter('Transfer')
    const some = await token.queryFilter(token.filters.Transfer(null, [bank.address]), 0, 'latest')
    assert.ok(all.length > some.length)
    assert.deepEqual([some.length, some[0].args.value], [1, 3n])
    const { blockHash } = some[0]
    // The block also has logs of REMASC, which pays its miner.
    const logs = await provider.getLogs({ blockHash })
    assert.equal(logs.filter(({ address }) => address === token.target).length, 1)
    assert.equal((await provider.getLogs({ blockHash, address: token })).length, 1)
    assert.equal((await some[0].getTransaction()).from, wallet.address)
  })
  for (const [name, { args = [], reason = null, revert }] of Object.entries({
    withReason: { args: ['not today'], reason: 'not today', revert: ['Error', 'not today'] },
    withError: { args: [7, 'why'], revert: ['Refused', wallet.address, 7n, 'why'] },
    withBareError: { revert: ['Bare'] },
    overflow: { args: [1], reason: 'Panic due to OVERFLOW(17)', revert: ['Panic', 17] },
    divide: { args: [1, 0], reason: 'Panic due to DIVIDE_BY_ZERO(18)', revert: ['Panic', 18] },
    assertion: { args: [false], reason: 'Panic due to ASSERT_FALSE(1)', revert: ['Panic', 1] },
  })) {
    it(`decodes ${name} of calls and estimates`, async () => {
      const called = await fails(failures[name].staticCall(...args))
      const estimated = await fails(failures[name].estimateGas(...args))
      for (const error of [called, estimated]) {
        assert.ok(isCallException(error), `${error.code} ${error.message}`)
        const { revert: found } = failures.interface.makeError(error.data, error.transaction)
        assert.deepEqual([found.name, ...found.args].map(String), revert.map(String))
        assert.equal(error.data, called.data)
      }
      assert.deepEqual([called.revert.name, ...called.revert.args].map(String), revert.map(String))
      if (reason !== null) assert.deepEqual([called.reason, estimated.reason], [reason, reason])
    })
  }
  it('decodes withoutData of calls and estimates', async () => {
    for (const way of ['staticCall', 'estimateGas']) {
      const error = await fails(failures.withoutData[way]())
      assert.ok(isCallException(error), `${error.code} ${error.message}`)
      assert.deepEqual([error.action, error.revert], [way === 'staticCall' ? 'call' : 'estimateGas', null])
    }
  })
  it('a mined failure is a rejected wait', async () => {
    const sent = await failures.withBareError.send({ gasLimit: 100_000 })
    const error = await fails(sent.wait())
    assert.ok(isCallException(error), error.message)
    assert.deepEqual([error.receipt.status, error.receipt.hash], [0, sent.hash])
  })
  it('a deployment that fails', async () => {
    const factory = new ContractFactory([], '0x60006000fd', wallet)
    const error = await fails(factory.deploy())
    assert.ok(isCallException(error), `${error.code} ${error.message}`)
  })
})

describe('events over HTTP', () => {
  it('blocks', async () => {
    const seen = []
    await provider.on('block', (number) => seen.push(number))
    const from = await provider.getBlockNumber()
    await provider.send('hardhat_mine', ['0x3'])
    await soon(() => seen.includes(from + 3))
    await provider.off('block')
  })
  for (const polling of [true, false]) {
    it(`of a contract, ${polling ? 'by ranges of logs' : 'by filters'}`, async () => {
      const own = new JsonRpcProvider(URL, undefined, { ...OPTIONS, polling })
      own.pollingInterval = 100
      try {
        const seen = []
        await new Contract(await token.getAddress(), TOKEN.abi, own).on('Transfer', (_from, to, value) =>
          seen.push(`${to}${value}`),
        )
        const any = []
        await own.on({ address: await token.getAddress() }, (log) => any.push(log.transactionHash))
        // The provider asks for its first block or filter behind this call.
        await new Promise((resolve) => setTimeout(resolve, 1_000))
        const receipt = await (await token.transfer(OTHER, 11)).wait()
        await soon(() => seen.includes(`${OTHER}11`))
        await soon(() => any.includes(receipt.hash))
      } finally {
        await own.removeAllListeners()
        // Filters are uninstalled behind this call.
        await new Promise((resolve) => setTimeout(resolve, 500))
        own.destroy()
      }
    })
  }
  it('a transaction by its hash', async () => {
    const sent = await wallet.sendTransaction({ to: OTHER, value: 1n })
    const [receipt] = await Promise.race([
      new Promise((resolve) => provider.once(sent.hash, (found) => resolve([found]))),
      new Promise((_, reject) => setTimeout(() => reject(new Error('it does not come')), 30_000).unref()),
    ])
    assert.equal(receipt.hash, sent.hash)
  })
})

describe('events over WebSocket', () => {
  const socket = new WebSocketProvider(URL.replace('http', 'ws'), undefined, OPTIONS)
  after(() => socket.destroy())
  it('blocks, waiting transactions, logs', async () => {
    const contract = new Contract(await token.getAddress(), TOKEN.abi, wallet.connect(socket))
    const seen = { blocks: [], pending: [], logs: [], events: [] }
    await socket.on('block', (number) => seen.blocks.push(number))
    await socket.on('pending', (hash) => seen.pending.push(hash))
    await socket.on(
      { address: await token.getAddress(), topics: [id('Transfer(address,address,uint256)')] },
      (log) => seen.logs.push(log),
    )
    await contract.on('Transfer', (_from, _to, value) => seen.events.push(value))
    await new Promise((resolve) => setTimeout(resolve, 500))
    const sent = await contract.transfer(OTHER, 12)
    const receipt = await sent.wait()
    await soon(() => seen.blocks.includes(receipt.blockNumber))
    await soon(() => seen.pending.includes(sent.hash))
    await soon(() => seen.logs.some(({ transactionHash }) => transactionHash === sent.hash))
    await soon(() => seen.events.includes(12n))
    await socket.removeAllListeners()
  })
  it('requests and failures', async () => {
    assert.equal(await socket.getBlockNumber(), await provider.getBlockNumber())
    const error = await fails(failures.connect(wallet.connect(socket)).withError.staticCall(1, 'x'))
    assert.equal(error.revert.name, 'Refused')
  })
})
