import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { ethers } from 'ethers'

const { BigNumber, Contract, ContractFactory, Wallet, providers, utils } = ethers
const URL = process.env.NODE_URL
const artefact = (name) =>
  JSON.parse(readFileSync(new globalThis.URL(`../../contracts/${name}.json`, import.meta.url), 'utf8'))
const TOKEN = artefact('Token')
const FAILURES = artefact('Failures')
/** Behind this block the headers of the chain have another form. */
const FORK_BLOCK = 449
const SUPPLY = 10n ** 24n
const REMASC = '0x0000000000000000000000000000000001000008'
const OTHER = utils.getAddress('0x00000000000000000000000000000000000000aa')

const provider = new providers.JsonRpcProvider(URL)
provider.pollingInterval = 100
after(() => provider.removeAllListeners())

const bank = provider.getSigner(0)
await provider.send('hardhat_mine', [`0x${FORK_BLOCK.toString(16)}`])
const wallet = Wallet.createRandom().connect(provider)
await (await bank.sendTransaction({ to: wallet.address, value: utils.parseEther('100') })).wait()
const deploy = async ({ abi, bytecode }, ...args) =>
  await (await new ContractFactory(abi, bytecode, wallet).deploy(...args)).deployed()
const token = await deploy(TOKEN, SUPPLY)
const failures = await deploy(FAILURES)
const fails = async (promise) =>
  await promise.then(
    () => assert.fail('nothing was thrown'),
    (error) => error,
  )
/** Resolves when `check` holds. */
const soon = async (check) => {
  for (let look = 0; look < 1_500; look += 1) {
    if (check()) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('it does not come')
}

describe('provider', () => {
  it('the network and its fees', async () => {
    assert.equal((await provider.getNetwork()).chainId, 33)
    const { gasPrice, maxFeePerGas } = await provider.getFeeData()
    assert.ok(gasPrice.gt(0))
    assert.equal(maxFeePerGas, null)
  })
  it('blocks by number, hash and tag', async () => {
    const latest = await provider.getBlock('latest')
    assert.deepEqual(await provider.getBlock(latest.hash), latest)
    assert.deepEqual(await provider.getBlock(latest.number), latest)
    assert.equal((await provider.getBlock('earliest')).number, 0)
    // What a pending block cannot know is null, as on the reference; this client wants its number.
    assert.equal((await fails(provider.getBlock('pending'))).checkKey, 'number')
    const pending = await provider.send('eth_getBlockByNumber', ['pending', false])
    assert.deepEqual([pending.parentHash, pending.number], [latest.hash, null])
    assert.equal(await provider.getBlock(utils.id('none')), null)
  })
  it('the transactions of a block', async () => {
    const receipt = await (await token.transfer(OTHER, 1)).wait()
    const { transactions } = await provider.getBlockWithTransactions(receipt.blockHash)
    assert.deepEqual([transactions[0].hash, transactions[0].from], [receipt.transactionHash, wallet.address])
    assert.deepEqual([transactions[1].to, transactions[1].gasPrice.toString()], [REMASC, '0'])
  })
  it('accounts, now and earlier', async () => {
    const before = (await provider.getBlockNumber()) - 1
    const count = await provider.getTransactionCount(wallet.address)
    assert.equal(await provider.getTransactionCount(wallet.address, before), count - 1)
    assert.ok((await provider.getBalance(wallet.address)).lt(utils.parseEther('100')))
    assert.equal(await provider.getCode(token.address), TOKEN.deployedBytecode)
    assert.ok(BigNumber.from(await provider.getStorageAt(token.address, 2)).eq(SUPPLY))
    assert.equal((await provider.listAccounts())[0], await bank.getAddress())
  })
  it('requests in one batch', async () => {
    const batching = new providers.JsonRpcBatchProvider(URL)
    const heights = Array.from({ length: 250 }, (_, height) => height)
    const blocks = await Promise.all(heights.map((height) => batching.getBlock(height)))
    assert.deepEqual(
      blocks.map(({ number }) => number),
      heights,
    )
  })
  it('two providers that have to agree, and one that does not check the network again', async () => {
    const both = new providers.FallbackProvider(
      [0, 1].map(() => new providers.StaticJsonRpcProvider(URL)),
      2,
    )
    assert.equal(await both.getCode(token.address), TOKEN.deployedBytecode)
    both.removeAllListeners()
  })
  it('names are not resolved', async () => {
    assert.match((await fails(provider.resolveName('rootstock.eth'))).message, /does not support ENS/)
  })
})

describe('transactions', () => {
  it('of the wallet are legacy ones and found again', async () => {
    const sent = await wallet.sendTransaction({ to: OTHER, value: 5 })
    const receipt = await sent.wait()
    assert.deepEqual([receipt.status, receipt.gasUsed.toNumber()], [1, 21_000])
    const found = await provider.getTransaction(sent.hash)
    assert.deepEqual([found.value.toNumber(), found.chainId, found.nonce], [5, 33, sent.nonce])
    assert.ok(found.type === 0 || found.type === null)
    assert.equal(await provider.getTransactionReceipt(utils.id('none')), null)
  })
  it('more than one confirmation', async () => {
    const waits = (await wallet.sendTransaction({ to: OTHER, value: 1 })).wait(3)
    await provider.send('hardhat_mine', ['0x3'])
    assert.ok((await waits).confirmations >= 3)
  })
  it('of an account of the node', async () => {
    assert.equal(
      (await (await bank.sendTransaction({ to: OTHER, value: 1 })).wait()).from,
      await bank.getAddress(),
    )
    assert.match(await bank.sendUncheckedTransaction({ to: OTHER, value: 1 }), /^0x[0-9a-f]{64}$/)
  })
  it('an account of the node with a password', async () => {
    const password = 'of the test'
    const address = await provider.send('personal_newAccount', [password])
    assert.equal(await provider.getSigner(address).unlock(password), true)
  })
  it('signed bytes, and the same again', async () => {
    const raw = await wallet.signTransaction(await wallet.populateTransaction({ to: OTHER, value: 2 }))
    assert.equal((await (await provider.sendTransaction(raw)).wait()).status, 1)
    assert.equal((await fails(provider.sendTransaction(raw))).code, 'NONCE_EXPIRED')
  })
  it('without money', async () => {
    const poor = Wallet.createRandom().connect(provider)
    const pay = () => poor.sendTransaction({ to: OTHER, value: 1, gasLimit: 21_000 })
    // The words of the reference, of which this client reads nothing but the message.
    assert.equal((await fails(pay())).error.message, "the sender account doesn't exist")
    await (await wallet.sendTransaction({ to: poor.address, value: 1 })).wait()
    assert.equal((await fails(pay())).code, 'INSUFFICIENT_FUNDS')
  })
  it('of type 2 are refused with a word on legacy ones', async () => {
    const fees = { type: 2, maxFeePerGas: 10 ** 9, maxPriorityFeePerGas: 1, gasLimit: 21_000 }
    assert.match((await fails(wallet.sendTransaction({ to: OTHER, ...fees }))).message, /legacy/)
  })
  it('a replaced one is noticed', async () => {
    await provider.send('evm_setAutomine', [false])
    try {
      const nonce = await wallet.getTransactionCount()
      const gasPrice = await provider.getGasPrice()
      const first = await wallet.sendTransaction({ to: OTHER, value: 1, nonce, gasPrice })
      const cheap = await fails(wallet.sendTransaction({ to: OTHER, value: 2, nonce, gasPrice }))
      // The words of the reference again; newer clients look at the data, too.
      assert.equal(cheap.error.message, 'gas price not enough to bump transaction')
      assert.equal(cheap.error.data.message, 'replacement transaction underpriced')
      let error = null
      void fails(first.wait()).then((found) => {
        error = found
      })
      const second = await wallet.sendTransaction({ to: OTHER, value: 2, nonce, gasPrice: gasPrice.mul(2) })
      // The client looks a second after a block, at those up to that one.
      const timer = setInterval(() => void provider.send('evm_mine', []), 500)
      await soon(() => error !== null).finally(() => clearInterval(timer))
      assert.deepEqual([error.code, error.replacement.hash], ['TRANSACTION_REPLACED', second.hash])
    } finally {
      await provider.send('evm_setAutomine', [true])
    }
  })
})

describe('signatures of the node', () => {
  it('of messages', async () => {
    const signature = await bank.signMessage('hello')
    assert.equal(utils.verifyMessage('hello', signature), await bank.getAddress())
    assert.equal(
      utils.verifyMessage('hello', await bank._legacySignMessage('hello')),
      await bank.getAddress(),
    )
  })
  it('of typed data', async () => {
    const domain = { name: 'Rhizome', version: '1', chainId: 33, verifyingContract: OTHER }
    const types = { Person: [{ name: 'wallet', type: 'address' }] }
    const person = { wallet: OTHER }
    const signature = await bank._signTypedData(domain, types, person)
    assert.equal(utils.verifyTypedData(domain, types, person, signature), await bank.getAddress())
  })
})

describe('contracts', () => {
  it('reads, static calls, estimates', async () => {
    assert.equal(await token.symbol(), 'RHZ')
    assert.equal(await token.callStatic.transfer(OTHER, 1), true)
    assert.ok((await token.estimateGas.transfer(OTHER, 1)).gt(21_000))
    const { blockNumber } = await token.deployTransaction.wait()
    assert.ok((await token.balanceOf(OTHER, { blockTag: blockNumber })).eq(0))
    assert.equal((await fails(token.symbol({ blockTag: 1 }))).code, 'CALL_EXCEPTION')
  })
  it('parses the events of a receipt', async () => {
    const { events } = await (await token.approve(OTHER, 9)).wait()
    const [{ event, args }] = events
    assert.deepEqual([event, args.spender, args.value.toNumber()], ['Approval', OTHER, 9])
  })
  it('finds past events', async () => {
    const to = await bank.getAddress()
    await (await token.transfer(to, 3)).wait()
    const all = await token.queryFilter(token.filters.Transfer())
    const some = await token.queryFilter(token.filters.Transfer(null, to), 0, 'latest')
    assert.ok(all.length > some.length)
    assert.deepEqual([some.length, some[0].args.value.toNumber()], [1, 3])
    assert.equal((await token.queryFilter(token.filters.Transfer(), some[0].blockHash)).length, 1)
    assert.equal((await some[0].getTransactionReceipt()).status, 1)
  })
  for (const [name, { args = [], errorName, found = [] }] of Object.entries({
    withReason: { args: ['not today'], errorName: 'Error', found: ['not today'] },
    withError: { args: [7, 'why'], errorName: 'Refused', found: [wallet.address, '7', 'why'] },
    withBareError: { errorName: 'Bare' },
    overflow: { args: [1], errorName: 'Panic', found: ['17'] },
    divide: { args: [1, 0], errorName: 'Panic', found: ['18'] },
    assertion: { args: [false], errorName: 'Panic', found: ['1'] },
  })) {
    it(`decodes ${name} of calls, and tells estimates and sends from others`, async () => {
      const error = await fails(failures.callStatic[name](...args))
      assert.deepEqual([error.code, error.errorName], ['CALL_EXCEPTION', errorName], error.message)
      assert.deepEqual(error.errorArgs.map(String), found)
      const estimated = await fails(failures.estimateGas[name](...args))
      assert.equal(estimated.code, 'UNPREDICTABLE_GAS_LIMIT')
      assert.match(estimated.message, /revert/)
    })
  }
  it('a call that fails without data', async () => {
    // This client takes empty data for the result, which this function has none of (decisions.md D43).
    assert.deepEqual(await failures.callStatic.withoutData(), [])
    assert.equal((await fails(failures.estimateGas.withoutData())).code, 'UNPREDICTABLE_GAS_LIMIT')
  })
  it('a mined failure is a rejected wait', async () => {
    const sent = await wallet.sendTransaction({
      to: failures.address,
      data: failures.interface.encodeFunctionData('withBareError'),
      gasLimit: 100_000,
    })
    const error = await fails(sent.wait())
    assert.deepEqual([error.code, error.receipt.status], ['CALL_EXCEPTION', 0])
  })
})

const socket = new providers.WebSocketProvider(URL.replace('http', 'ws'))
after(() => socket.destroy())
for (const [way, from] of Object.entries({ polling: provider, WebSocket: socket })) {
  describe(`events by ${way}`, () => {
    it('of blocks, transactions, logs and contracts', async () => {
      const seen = { blocks: [], pending: [], logs: [], events: [], done: [] }
      const contract = new Contract(token.address, TOKEN.abi, from)
      from.on('block', (number) => seen.blocks.push(number))
      from.on('pending', (found) => seen.pending.push(found.hash ?? found))
      from.on({ address: token.address }, ({ transactionHash }) => seen.logs.push(transactionHash))
      contract.on(contract.filters.Transfer(null, OTHER), (_from, _to, value) =>
        seen.events.push(value.toNumber()),
      )
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      const sent = await token.transfer(OTHER, 12)
      from.once(sent.hash, ({ status }) => seen.done.push(status))
      const { blockNumber, transactionHash } = await sent.wait()
      await soon(() => seen.blocks.includes(blockNumber))
      await soon(() => seen.pending.includes(transactionHash))
      await soon(() => seen.logs.includes(transactionHash))
      await soon(() => seen.events.includes(12))
      await soon(() => seen.done.includes(1))
      contract.removeAllListeners()
      from.removeAllListeners()
    })
  })
}
describe('WebSocket', () => {
  it('requests and failures', async () => {
    assert.equal((await socket.getNetwork()).chainId, 33)
    const error = await fails(failures.connect(socket).callStatic.withBareError())
    assert.equal(error.errorName, 'Bare')
  })
})
