import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import Web3 from 'web3'

const URL = process.env.NODE_URL
const artefact = (name) =>
  JSON.parse(readFileSync(new globalThis.URL(`../../contracts/${name}.json`, import.meta.url), 'utf8'))
const TOKEN = artefact('Token')
const FAILURES = artefact('Failures')
/** Behind this block the headers of the chain have another form. */
const FORK_BLOCK = 449
const SUPPLY = '1000000'
const OTHER = Web3.utils.toChecksumAddress('0x00000000000000000000000000000000000000aa')

const web3 = new Web3(URL)
const { eth, utils } = web3
const rpc = (method, ...params) =>
  new Promise((resolve, reject) => {
    web3.currentProvider.send({ jsonrpc: '2.0', id: 1, method, params }, (error, answer) =>
      error || answer.error ? reject(error ?? new Error(answer.error.message)) : resolve(answer.result),
    )
  })
await rpc('hardhat_mine', utils.toHex(FORK_BLOCK))
const [bank] = await eth.getAccounts()
const gasPrice = await eth.getGasPrice()
const options = { from: bank, gas: 3_000_000, gasPrice }
const deploy = async ({ abi, bytecode }, args) =>
  await new eth.Contract(abi).deploy({ data: bytecode, arguments: args }).send(options)
const token = await deploy(TOKEN, [SUPPLY])
const failures = await deploy(FAILURES, [])
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

describe('eth', () => {
  it('the node', async () => {
    assert.deepEqual(
      [await eth.getChainId(), await eth.net.getId(), await eth.net.isListening()],
      [33, 33, true],
    )
    assert.equal(await eth.isSyncing(), false)
    assert.match(await eth.getNodeInfo(), /\//)
  })
  it('blocks and their transactions', async () => {
    const { transactionHash, blockHash } = await token.methods.transfer(OTHER, 1).send(options)
    const block = await eth.getBlock(blockHash, true)
    assert.equal(block.transactions[0].hash, transactionHash)
    assert.deepEqual(await eth.getTransaction(transactionHash), block.transactions[0])
    assert.deepEqual(await eth.getTransactionFromBlock(blockHash, 0), block.transactions[0])
    assert.equal((await eth.getTransactionReceipt(transactionHash)).status, true)
    assert.equal(await eth.getBlockTransactionCount(block.number), 2)
    assert.equal((await eth.getBlock('pending')).parentHash, (await eth.getBlock('latest')).hash)
    assert.equal(await eth.getBlock(utils.sha3('none')), null)
  })
  it('accounts', async () => {
    assert.equal(await eth.getCode(token.options.address), TOKEN.deployedBytecode)
    assert.equal(utils.toBN(await eth.getStorageAt(token.options.address, 2)).toString(), SUPPLY)
    const [proof] = (await eth.getProof(token.options.address, ['0x2'], 'latest')).storageProof
    assert.equal(utils.toBN(proof.value).toString(), SUPPLY)
  })
  it('several requests in one batch', async () => {
    const batch = new web3.BatchRequest()
    const answers = ['latest', 'earliest'].map(
      (tag) =>
        new Promise((resolve, reject) => {
          batch.add(
            eth.getBlock.request(tag, (error, block) => (error ? reject(error) : resolve(block.number))),
          )
        }),
    )
    batch.execute()
    assert.equal((await Promise.all(answers))[1], 0)
  })
})

describe('transactions', () => {
  it('of the node, with all their events', async () => {
    const seen = []
    const sent = eth.sendTransaction({ from: bank, to: OTHER, value: 1, gas: 21_000 })
    for (const event of ['transactionHash', 'receipt']) sent.once(event, () => seen.push(event))
    assert.equal((await sent).gasUsed, 21_000)
    assert.deepEqual(seen, ['transactionHash', 'receipt'])
  })
  it('of a key of the client', async () => {
    const account = eth.accounts.create()
    await eth.sendTransaction({ from: bank, to: account.address, value: utils.toWei('1'), gas: 21_000 })
    const { rawTransaction } = await account.signTransaction({ to: OTHER, value: 1, gas: 21_000, gasPrice })
    assert.equal((await eth.sendSignedTransaction(rawTransaction)).status, true)
    assert.match((await fails(eth.sendSignedTransaction(rawTransaction))).message, /nonce too low/)
  })
  it('signatures and the personal module', async () => {
    assert.equal(eth.accounts.recover('hello', await eth.sign('hello', bank)), bank)
    const made = await eth.personal.newAccount('of the test')
    assert.equal(await eth.personal.unlockAccount(made, 'of the test', 600), true)
    const signature = await eth.personal.sign('hello', made, 'of the test')
    assert.equal(eth.accounts.recover('hello', signature), made)
  })
})

describe('contracts', () => {
  it('reads, estimates and sends', async () => {
    assert.equal(await token.methods.symbol().call(), 'RHZ')
    assert.ok((await token.methods.transfer(OTHER, 1).estimateGas({ from: bank })) > 21_000)
    const { events } = await token.methods.transfer(OTHER, 9).send(options)
    assert.deepEqual([events.Transfer.returnValues.to, events.Transfer.returnValues.value], [OTHER, '9'])
  })
  it('finds past events', async () => {
    await token.methods.approve(OTHER, 3).send(options)
    const range = { fromBlock: 0, toBlock: 'latest' }
    const [approval, ...more] = await token.getPastEvents('Approval', {
      filter: { spender: OTHER },
      ...range,
    })
    assert.deepEqual([approval.returnValues.value, more.length], ['3', 0])
    const logs = await eth.getPastLogs({ address: token.options.address, ...range })
    assert.ok(logs.length > 2)
  })
  it('failures of calls, estimates and sends', async () => {
    eth.handleRevert = true
    const error = await fails(failures.methods.withReason('not today').call({ from: bank }))
    assert.match(error.message, /not today/)
    assert.match(
      (await fails(failures.methods.withBareError().estimateGas({ from: bank }))).message,
      /revert/,
    )
    const sent = await fails(failures.methods.withBareError().send({ ...options, gas: 100_000 }))
    assert.equal(sent.receipt.status, false)
  })
})

describe('subscriptions', () => {
  const socket = new Web3(URL.replace('http', 'ws'))
  after(() => socket.currentProvider.disconnect())
  it('to blocks, waiting transactions, logs and events', async () => {
    const seen = { blocks: [], pending: [], logs: [], events: [] }
    const made = [
      socket.eth.subscribe('newBlockHeaders').on('data', ({ number }) => seen.blocks.push(number)),
      socket.eth.subscribe('pendingTransactions').on('data', (hash) => seen.pending.push(hash)),
      socket.eth
        .subscribe('logs', { address: token.options.address })
        .on('data', (log) => seen.logs.push(log.transactionHash)),
      socket.eth.subscribe('syncing'),
    ]
    const contract = new socket.eth.Contract(TOKEN.abi, token.options.address)
    contract.events
      .Transfer({ filter: { to: OTHER } })
      .on('data', ({ returnValues }) => seen.events.push(returnValues.value))
    await new Promise((resolve) => setTimeout(resolve, 500))
    const { blockNumber, transactionHash } = await token.methods.transfer(OTHER, 12).send(options)
    await soon(() => seen.blocks.includes(blockNumber))
    await soon(() => seen.pending.includes(transactionHash))
    await soon(() => seen.logs.includes(transactionHash))
    await soon(() => seen.events.includes('12'))
    for (const subscription of made) {
      const ended = new Promise((resolve) =>
        subscription.unsubscribe((error, done) => resolve([error, done])),
      )
      assert.deepEqual(await ended, [null, true])
    }
  })
})
