import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { Web3 } from 'web3'

const URL = process.env.NODE_URL
const artefact = (name) =>
  JSON.parse(readFileSync(new globalThis.URL(`../../contracts/${name}.json`, import.meta.url), 'utf8'))
const TOKEN = artefact('Token')
const FAILURES = artefact('Failures')
/** Behind this block the headers of the chain have another form. */
const FORK_BLOCK = 449
const SUPPLY = 10n ** 24n
const OTHER = '0x00000000000000000000000000000000000000aa'
const REMASC = '0x0000000000000000000000000000000001000008'
const TRANSFER = 'Transfer(address,address,uint256)'

/** Else this client sends transactions of type 2, and stops where blocks have no base fee. */
const config = { defaultTransactionType: '0x0' }
const web3 = new Web3({ provider: URL, config })
const { eth } = web3
await web3.requestManager.send({ method: 'hardhat_mine', params: [`0x${FORK_BLOCK.toString(16)}`] })
const [bank] = await eth.getAccounts()
const account = eth.accounts.wallet.create(1)[0].address
await eth.sendTransaction({ from: bank, to: account, value: web3.utils.toWei('100', 'ether') })
const deploy = async ({ abi, bytecode }, args) =>
  await new eth.Contract(abi).deploy({ data: bytecode, arguments: args }).send({ from: account })
const token = await deploy(TOKEN, [SUPPLY])
const failures = await deploy(FAILURES, [])
const transfer = async (value, to = OTHER) => await token.methods.transfer(to, value).send({ from: account })
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

describe('the node', () => {
  it('its network and itself', async () => {
    assert.deepEqual([await eth.getChainId(), await eth.net.getId()], [33n, 33n])
    assert.equal(await eth.net.isListening(), true)
    assert.equal(await eth.net.getPeerCount(), 0n)
    assert.match(await eth.getNodeInfo(), /^[A-Za-z]+\//)
    assert.equal(await eth.isSyncing(), false)
    assert.equal(await eth.isMining(), true)
    assert.ok((await eth.getHashRate()) >= 0n)
    assert.ok((await eth.getProtocolVersion()).length > 0)
    assert.match(await eth.getCoinbase(), /^0x/)
  })
  it('its fees are those of legacy transactions', async () => {
    assert.ok((await eth.getGasPrice()) > 0n)
    const fees = await eth.calculateFeeData()
    assert.ok(fees.gasPrice > 0n)
    assert.equal(fees.maxFeePerGas, undefined)
  })
})

describe('blocks', () => {
  it('by number, hash and tag', async () => {
    const latest = await eth.getBlock('latest')
    assert.equal(latest.number, await eth.getBlockNumber())
    assert.deepEqual(await eth.getBlock(latest.hash), latest)
    assert.deepEqual(await eth.getBlock(latest.number), latest)
    assert.equal((await eth.getBlock('earliest')).number, 0n)
    assert.equal((await eth.getBlock('pending')).parentHash, latest.hash)
    assert.equal(await eth.getBlockTransactionCount(latest.hash), BigInt(latest.transactions.length))
    assert.equal(await eth.getBlockUncleCount(latest.hash), 0n)
    assert.equal(await eth.getUncle(latest.hash, 0), null)
    assert.equal(await eth.getBlock(web3.utils.sha3('none')), null)
  })
  it('with their transactions', async () => {
    const { blockHash, transactionHash } = await transfer(1)
    const { transactions } = await eth.getBlock(blockHash, true)
    assert.deepEqual(
      [transactions[0].hash, transactions[0].type, transactions[1].to],
      [transactionHash, 0n, REMASC],
    )
    const found = await eth.getTransaction(transactionHash)
    assert.equal(found.input, transactions[0].input)
    assert.deepEqual(await eth.getTransactionFromBlock(blockHash, 0), found)
    await assert.rejects(eth.getTransaction(web3.utils.sha3('none')))
    await assert.rejects(eth.getTransactionReceipt(web3.utils.sha3('none')))
  })
})

describe('accounts', () => {
  it('now and earlier', async () => {
    const before = (await eth.getBlockNumber()) - 1n
    const count = await eth.getTransactionCount(account)
    assert.equal(await eth.getTransactionCount(account, before), count - 1n)
    assert.ok((await eth.getBalance(account)) < 100n * 10n ** 18n)
    assert.equal(await eth.getCode(token.options.address), TOKEN.deployedBytecode)
    assert.equal(BigInt(await eth.getStorageAt(token.options.address, 2)), SUPPLY)
  })
  it('proofs', async () => {
    const proof = await eth.getProof(token.options.address, [web3.utils.padLeft(2, 64)])
    assert.equal(BigInt(proof.storageProof[0].value), SUPPLY)
  })
  it('signatures of the node', async () => {
    const signature = await eth.sign(web3.utils.utf8ToHex('hello'), bank)
    assert.equal(eth.accounts.recover('hello', signature), web3.utils.toChecksumAddress(bank))
    const types = {
      EIP712Domain: [{ name: 'name', type: 'string' }],
      Person: [{ name: 'wallet', type: 'address' }],
    }
    const data = { types, primaryType: 'Person', domain: { name: 'x' }, message: { wallet: OTHER } }
    assert.match(await eth.signTypedData(bank, data), /^0x[0-9a-f]{130}$/)
  })
  it('of the personal module', async () => {
    const made = await eth.personal.newAccount('of the test')
    assert.ok((await eth.personal.getAccounts()).includes(web3.utils.toChecksumAddress(made)))
    assert.equal(await eth.personal.unlockAccount(made, 'of the test', 600), true)
    assert.equal(await eth.personal.lockAccount(made), true)
  })
})

describe('transactions', () => {
  it('of a local key are legacy ones, with all their events', async () => {
    const seen = []
    const sent = eth.sendTransaction({ from: account, to: OTHER, value: 5 })
    for (const event of ['sending', 'sent', 'transactionHash', 'receipt'])
      sent.on(event, () => seen.push(event))
    const { status, gasUsed, type } = await sent
    assert.deepEqual([status, gasUsed, type], [1n, 21_000n, 0n])
    assert.deepEqual(seen, ['sending', 'sent', 'transactionHash', 'receipt'])
  })
  it('are confirmed', async () => {
    const seen = []
    const own = new Web3({ provider: URL, config })
    own.eth.transactionConfirmationBlocks = 3
    own.eth.transactionConfirmationPollingInterval = 100
    const sent = own.eth.sendTransaction({ from: bank, to: OTHER, value: 1 })
    sent.on('confirmation', ({ confirmations }) => seen.push(confirmations))
    await sent
    await web3.requestManager.send({ method: 'hardhat_mine', params: ['0x4'] })
    await soon(() => seen.length > 2)
  })
  it('of an account of the node', async () => {
    const { from } = await eth.sendTransaction({ from: bank, to: OTHER, value: 1 })
    assert.equal(from.toLowerCase(), bank.toLowerCase())
  })
  it('signed bytes, and the same again', async () => {
    const fields = {
      to: OTHER,
      value: 2,
      gas: 21_000,
      gasPrice: await eth.getGasPrice(),
      nonce: await eth.getTransactionCount(account),
    }
    const { rawTransaction } = await eth.accounts.wallet[0].signTransaction(fields)
    assert.equal((await eth.sendSignedTransaction(rawTransaction)).status, 1n)
    assert.match((await fails(eth.sendSignedTransaction(rawTransaction))).message, /nonce too low/)
  })
  it('without money', async () => {
    const poor = eth.accounts.wallet.create(1).at(-1).address
    const error = await fails(eth.sendTransaction({ from: poor, to: OTHER, value: 1 }))
    assert.match(
      `${error.message} ${JSON.stringify(error.innerError?.data ?? error.data ?? '')}`,
      /insufficient|doesn't exist/,
    )
  })
  it('of type 2 are refused with a word on legacy ones', async () => {
    const fields = { type: 2, maxFeePerGas: 10 ** 9, maxPriorityFeePerGas: 1, gas: 21_000 }
    const { rawTransaction } = await eth.accounts.wallet[0].signTransaction({
      to: OTHER,
      value: 1,
      nonce: 0,
      chainId: 33,
      ...fields,
    })
    assert.match((await fails(eth.sendSignedTransaction(rawTransaction))).message, /legacy/)
  })
  it('several requests in one batch', async () => {
    const batch = new web3.BatchRequest()
    const answers = [
      batch.add({ method: 'eth_blockNumber', params: [] }),
      batch.add({ method: 'eth_getBalance', params: [OTHER, 'latest'] }),
    ]
    await batch.execute()
    assert.ok((await Promise.all(answers)).every((answer) => answer.startsWith('0x')))
  })
})

describe('contracts', () => {
  it('reads and estimates', async () => {
    assert.equal(await token.methods.symbol().call(), 'RHZ')
    assert.equal(await token.methods.transfer(OTHER, 1).call({ from: account }), true)
    assert.ok((await token.methods.transfer(OTHER, 1).estimateGas({ from: account })) > 21_000n)
    const list = await token.methods.transfer(OTHER, 1).createAccessList({ from: account })
    assert.ok(list.gasUsed > 21_000n)
  })
  it('decodes the events of a receipt', async () => {
    const { events } = await transfer(9)
    assert.deepEqual([events.Transfer.returnValues.value, events.Transfer.event], [9n, 'Transfer'])
  })
  it('finds past events', async () => {
    const { blockHash } = await transfer(3, bank)
    const range = { fromBlock: 0, toBlock: 'latest' }
    const all = await token.getPastEvents('Transfer', range)
    const some = await token.getPastEvents('Transfer', { filter: { to: bank }, ...range })
    assert.ok(all.length > some.length)
    assert.deepEqual([some.length, some[0].returnValues.value], [1, 3n])
    assert.equal((await token.getPastEvents('allEvents', { blockHash })).length, 1)
    const logs = await eth.getPastLogs({
      address: token.options.address,
      topics: [web3.utils.sha3(TRANSFER)],
      ...range,
    })
    assert.equal(logs.length, all.length)
  })
  for (const [name, { args = [], message, errorName }] of Object.entries({
    withReason: { args: ['not today'], message: /not today/, errorName: 'Error' },
    withError: { args: [7, 'why'], errorName: 'Refused' },
    withBareError: { errorName: 'Bare' },
    overflow: { args: [1], errorName: 'Panic' },
    divide: { args: [1, 0], errorName: 'Panic' },
    assertion: { args: [false], errorName: 'Panic' },
  })) {
    it(`decodes ${name} of calls, and has the data of estimates and sends`, async () => {
      const method = failures.methods[name](...args)
      const called = await fails(method.call({ from: account }))
      assert.equal((called.cause ?? called).errorName, errorName)
      for (const way of [
        () => method.call({ from: account }),
        () => method.estimateGas({ from: account }),
        () => method.send({ from: account }),
      ]) {
        const error = await fails(way())
        const cause = error.cause ?? error.innerError ?? error
        assert.match(error.data ?? cause.data, /^0x[0-9a-f]{8}/, error.message)
        if (message !== undefined)
          assert.match(`${error.message} ${error.reason ?? ''} ${cause.message}`, message)
      }
    })
  }
  it('a mined failure', async () => {
    const { gasPrice } = await eth.calculateFeeData()
    const nonce = await eth.getTransactionCount(account)
    const data = failures.methods.withBareError().encodeABI()
    const fields = { to: failures.options.address, data, gas: 100_000, gasPrice, nonce }
    const { rawTransaction } = await eth.accounts.wallet[0].signTransaction(fields)
    const error = await fails(
      eth.sendSignedTransaction(rawTransaction, undefined, { checkRevertBeforeSending: false }),
    )
    assert.equal(error.receipt.status, 0n)
  })
})

describe('subscriptions', () => {
  const socket = new Web3({ provider: URL.replace('http', 'ws'), config })
  after(() => socket.provider.disconnect())
  it('to blocks, waiting transactions, logs, synchronisation and events', async () => {
    const seen = { blocks: [], pending: [], logs: [], events: [] }
    const follow = async (name, note, options) => {
      const made = await socket.eth.subscribe(name, options)
      made.on('data', note)
      return made
    }
    const made = [
      await follow('newHeads', ({ number }) => seen.blocks.push(number)),
      await follow('pendingTransactions', (hash) => seen.pending.push(hash)),
      await follow('logs', ({ transactionHash }) => seen.logs.push(transactionHash), {
        address: token.options.address,
      }),
      await follow('syncing', () => {}),
    ]
    const contract = new socket.eth.Contract(TOKEN.abi, token.options.address)
    contract.events
      .Transfer({ filter: { to: OTHER } })
      .on('data', ({ returnValues }) => seen.events.push(returnValues.value))
    await new Promise((resolve) => setTimeout(resolve, 500))
    const { blockNumber, transactionHash } = await transfer(12)
    await soon(() => seen.blocks.includes(blockNumber))
    await soon(() => seen.pending.includes(transactionHash))
    await soon(() => seen.logs.includes(transactionHash))
    await soon(() => seen.events.includes(12n))
    for (const subscription of made) await subscription.unsubscribe()
    await socket.eth.clearSubscriptions()
  })
  it('requests and sends over the socket', async () => {
    assert.equal(await socket.eth.getChainId(), 33n)
    assert.equal((await socket.eth.sendTransaction({ from: bank, to: OTHER, value: 1 })).status, 1n)
  })
})
