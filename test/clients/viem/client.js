import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import {
  BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  createTestClient,
  createWalletClient,
  defineChain,
  encodeDeployData,
  encodeFunctionData,
  fallback,
  getContract,
  getContractAddress,
  http,
  keccak256,
  parseAbiItem,
  parseEther,
  parseEventLogs,
  stringToHex,
  toHex,
  verifyMessage,
  verifyTypedData,
  webSocket,
} from 'viem'
import { generatePrivateKey, nonceManager, privateKeyToAccount } from 'viem/accounts'

const URL = process.env.NODE_URL
const artefact = (name) =>
  JSON.parse(readFileSync(new globalThis.URL(`../../contracts/${name}.json`, import.meta.url), 'utf8'))
const TOKEN = artefact('Token')
const FAILURES = artefact('Failures')
/** Behind this block the headers of the chain have another form. */
const FORK_BLOCK = 449
const SUPPLY = 10n ** 24n
const OTHER = '0x00000000000000000000000000000000000000aa'
const NONE = keccak256(stringToHex('none'))

/** What a user of the chain writes: transactions are legacy ones since blocks have no base fee. */
const chain = defineChain({
  id: 33,
  name: 'regtest',
  nativeCurrency: { name: 'RBTC', symbol: 'RBTC', decimals: 18 },
  rpcUrls: { default: { http: [URL] } },
})
const options = { chain, transport: http(URL), pollingInterval: 100, cacheTime: 0 }
const client = createPublicClient(options)
const batching = createPublicClient({ ...options, transport: http(URL, { batch: true }) })
const admin = createTestClient({ ...options, mode: 'hardhat' })
await admin.mine({ blocks: FORK_BLOCK })
const [bankAddress] = await createWalletClient(options).getAddresses()
const bank = createWalletClient({ ...options, account: bankAddress })
const account = privateKeyToAccount(generatePrivateKey())
const wallet = createWalletClient({ ...options, account })
const mined = async (hash) => await client.waitForTransactionReceipt({ hash })
await mined(await bank.sendTransaction({ to: account.address, value: parseEther('100') }))
const deploy = async ({ abi, bytecode }, args) =>
  (await mined(await wallet.deployContract({ abi, bytecode, args }))).contractAddress
const address = await deploy(TOKEN, [SUPPLY])
const token = { address, abi: TOKEN.abi }
const failures = { address: await deploy(FAILURES, []), abi: FAILURES.abi }
const deployedAt = await client.getBlockNumber()

const transfer = async (value, to = OTHER) =>
  await mined(await wallet.writeContract({ ...token, functionName: 'transfer', args: [to, value] }))
const fails = async (promise) =>
  await promise.then(
    () => assert.fail('nothing was thrown'),
    (error) => error,
  )
/** Resolves when `check` holds, with what it says. */
const soon = async (check) => {
  for (let look = 0; look < 1_500; look += 1) {
    const found = check()
    if (found) return found
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('it does not come')
}

describe('public actions', () => {
  it('the network and its fees', async () => {
    assert.equal(await client.getChainId(), 33)
    assert.ok((await client.getGasPrice()) > 0n)
    assert.deepEqual(Object.keys(await client.estimateFeesPerGas({ type: 'legacy' })), ['gasPrice'])
  })
  it('blocks by number, hash and tag', async () => {
    const latest = await client.getBlock()
    assert.equal(latest.number, await client.getBlockNumber())
    assert.deepEqual(await client.getBlock({ blockHash: latest.hash }), latest)
    assert.deepEqual(await client.getBlock({ blockNumber: latest.number }), latest)
    for (const blockTag of ['earliest', 'safe', 'finalized']) {
      assert.ok((await client.getBlock({ blockTag })).number <= latest.number)
    }
    const pending = await client.getBlock({ blockTag: 'pending', includeTransactions: true })
    assert.deepEqual([pending.parentHash, pending.number, pending.hash], [latest.hash, null, null])
    assert.equal((await fails(client.getBlock({ blockHash: NONE }))).name, 'BlockNotFoundError')
    assert.equal((await fails(client.getBlock({ blockNumber: 10n ** 9n }))).name, 'BlockNotFoundError')
    assert.equal(
      await client.getBlockTransactionCount({ blockHash: latest.hash }),
      latest.transactions.length,
    )
  })
  it('the transactions of a block', async () => {
    const receipt = await transfer(1n)
    const block = await client.getBlock({ blockHash: receipt.blockHash, includeTransactions: true })
    const [first, remasc] = block.transactions
    assert.deepEqual([first.hash, first.type, first.from], [receipt.transactionHash, 'legacy', receipt.from])
    assert.deepEqual(
      [remasc.gas, remasc.gasPrice, remasc.to],
      [0n, 0n, '0x0000000000000000000000000000000001000008'],
    )
    const place = { blockNumber: receipt.blockNumber, index: 0 }
    assert.deepEqual(await client.getTransaction(place), first)
    assert.deepEqual(await client.getTransaction({ hash: first.hash }), first)
    assert.ok((await client.getTransactionConfirmations({ hash: first.hash })) >= 1n)
    assert.equal((await fails(client.getTransaction({ hash: NONE }))).name, 'TransactionNotFoundError')
    assert.equal(
      (await fails(client.getTransactionReceipt({ hash: NONE }))).name,
      'TransactionReceiptNotFoundError',
    )
  })
  it('accounts, now and earlier', async () => {
    const blockNumber = (await client.getBlockNumber()) - 1n
    assert.equal(await client.getBalance({ address: '0x0000000000000000000000000000000000000000' }), 0n)
    const count = await client.getTransactionCount({ address: account.address })
    assert.equal(await client.getTransactionCount({ address: account.address, blockNumber }), count - 1)
    assert.equal(await client.getCode({ address }), TOKEN.deployedBytecode)
    assert.equal(await client.getCode({ address: account.address }), undefined)
    assert.equal(BigInt(await client.getStorageAt({ address, slot: '0x2' })), SUPPLY)
  })
  it('proofs', async () => {
    const proof = await client.getProof({ address, storageKeys: [toHex(2, { size: 32 })] })
    assert.equal(proof.storageProof[0].value, SUPPLY)
    assert.ok(proof.accountProof.length > 0)
  })
  it('what goes in one batch', async () => {
    const heights = Array.from({ length: 300 }, (_, height) => BigInt(height))
    const blocks = await Promise.all(heights.map((blockNumber) => batching.getBlock({ blockNumber })))
    assert.deepEqual(
      blocks.map(({ number }) => number),
      heights,
    )
  })
  it('a transport behind one that is down', async () => {
    const transport = fallback([http('http://127.0.0.1:1', { retryCount: 0 }), http(URL)])
    assert.equal(await createPublicClient({ chain, transport }).getChainId(), 33)
  })
  it('calls, with overrides of the state and of a deployment', async () => {
    const data = encodeFunctionData({ abi: TOKEN.abi, functionName: 'totalSupply' })
    assert.equal(BigInt((await client.call({ to: address, data })).data), SUPPLY)
    const stateDiff = [{ slot: toHex(2, { size: 32 }), value: toHex(5, { size: 32 }) }]
    assert.equal(
      BigInt((await client.call({ to: address, data, stateOverride: [{ address, stateDiff }] })).data),
      5n,
    )
    const code = encodeDeployData({ abi: TOKEN.abi, bytecode: TOKEN.bytecode, args: [6n] })
    assert.equal(BigInt((await client.call({ code, data })).data), 6n)
  })
  it('estimates and access lists', async () => {
    const gas = await client.estimateContractGas({
      ...token,
      functionName: 'transfer',
      args: [OTHER, 1n],
      account,
    })
    assert.ok(gas > 21_000n)
    assert.equal(await client.estimateGas({ account, to: OTHER, value: 1n }), 21_000n)
    const data = encodeFunctionData({ ...token, functionName: 'transfer', args: [OTHER, 1n] })
    const list = await client.createAccessList({ account: account.address, to: address, data })
    assert.ok(list.gasUsed > 21_000n)
  })
  it('simulated blocks', async () => {
    const [block] = await client.simulateBlocks({
      blocks: [
        {
          calls: [
            { account, to: address, abi: TOKEN.abi, functionName: 'transfer', args: [OTHER, 7n] },
            { account, to: address, abi: TOKEN.abi, functionName: 'balanceOf', args: [OTHER] },
            { account, to: failures.address, abi: FAILURES.abi, functionName: 'withBareError' },
          ],
        },
      ],
    })
    const before = await client.readContract({ ...token, functionName: 'balanceOf', args: [OTHER] })
    assert.deepEqual(
      block.calls.map(({ status }) => status),
      ['success', 'success', 'failure'],
    )
    assert.equal(block.calls[1].result, before + 7n)
    assert.match(block.calls[2].error.message, /Bare/)
  })
  it('changes of assets in simulated calls', async () => {
    const { results, assetChanges } = await client.simulateCalls({
      account: account.address,
      traceAssetChanges: true,
      calls: [{ to: OTHER, value: 3n }],
    })
    assert.equal(results[0].status, 'success')
    assert.deepEqual(
      assetChanges.map(({ value: { diff } }) => diff),
      [-3n],
    )
  })
})

describe('transactions', () => {
  it('of an own key are legacy ones without saying so', async () => {
    const request = await wallet.prepareTransactionRequest({ to: OTHER, value: 5n })
    assert.deepEqual([request.type, request.chainId, request.gas], ['legacy', 33, 21_000n])
    const hash = await wallet.sendRawTransaction({
      serializedTransaction: await wallet.signTransaction(request),
    })
    const receipt = await mined(hash)
    assert.deepEqual([receipt.status, receipt.gasUsed, receipt.type], ['success', 21_000n, 'legacy'])
    const [block] = await Promise.all([client.getBlock({ blockHash: receipt.blockHash })])
    assert.equal(block.transactions[0], hash)
  })
  it('sent and awaited in one request', async () => {
    const request = await wallet.prepareTransactionRequest({ to: OTHER, value: 5n })
    const serializedTransaction = await wallet.signTransaction(request)
    const receipt = await wallet.sendRawTransactionSync({ serializedTransaction })
    assert.equal(receipt.status, 'success')
  })
  it('of an account of the node', async () => {
    assert.equal((await mined(await bank.sendTransaction({ to: OTHER, value: 1n }))).status, 'success')
  })
  // The pool takes nonces of at most 15 ahead, as the reference's.
  it('many at once, with a nonce manager', async () => {
    const managed = createWalletClient({
      ...options,
      account: privateKeyToAccount(generatePrivateKey(), { nonceManager }),
    })
    await mined(await wallet.sendTransaction({ to: managed.account.address, value: parseEther('1') }))
    const hashes = await Promise.all(
      Array.from({ length: 15 }, () => managed.sendTransaction({ to: OTHER, value: 1n, gas: 21_000n })),
    )
    const receipts = await Promise.all(hashes.map(mined))
    assert.ok(receipts.every(({ status }) => status === 'success'))
  })
  it('without money', async () => {
    const poor = createWalletClient({ ...options, account: privateKeyToAccount(generatePrivateKey()) })
    const error = await fails(poor.sendTransaction({ to: OTHER, value: 1n }))
    assert.ok(
      error.walk(({ name }) => name === 'InsufficientFundsError'),
      error.message,
    )
    const raw = await fails(poor.sendTransaction({ to: OTHER, value: 1n, gas: 21_000n }))
    assert.ok(raw instanceof BaseError)
  })
  it('of a nonce that was', async () => {
    const error = await fails(wallet.sendTransaction({ to: OTHER, value: 1n, nonce: 0, gas: 21_000n }))
    assert.ok(
      error.walk(({ name }) => name === 'NonceTooLowError'),
      error.message,
    )
  })
  it('of type 2 are refused with a word on legacy ones', async () => {
    const fees = { maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1n, gas: 21_000n }
    const error = await fails(wallet.sendTransaction({ to: OTHER, value: 1n, type: 'eip1559', ...fees }))
    assert.match(error.message, /legacy/)
  })
  it('a replaced one is noticed', async () => {
    await admin.setAutomine(false)
    try {
      const gasPrice = await client.getGasPrice()
      const nonce = await client.getTransactionCount({ address: account.address })
      const fields = { to: OTHER, nonce, gas: 21_000n }
      const first = await wallet.sendTransaction({ ...fields, value: 1n, gasPrice })
      const seen = []
      const waits = client.waitForTransactionReceipt({ hash: first, onReplaced: (found) => seen.push(found) })
      await soon(() => true)
      await client.getTransaction({ hash: first })
      await new Promise((resolve) => setTimeout(resolve, 500))
      const second = await wallet.sendTransaction({ ...fields, value: 2n, gasPrice: gasPrice * 2n })
      await admin.mine({ blocks: 1 })
      assert.equal((await waits).transactionHash, second)
      assert.deepEqual([seen[0].reason, seen[0].transaction.hash], ['replaced', second])
    } finally {
      await admin.setAutomine(true)
    }
  })
})

describe('signatures of the node', () => {
  it('of messages', async () => {
    for (const message of ['hello', { raw: '0x00ff01' }]) {
      const signature = await bank.signMessage({ message })
      assert.equal(await verifyMessage({ address: bankAddress, message, signature }), true)
    }
  })
  it('of typed data', async () => {
    const data = {
      domain: { name: 'Rhizome', version: '1', chainId: 33, verifyingContract: OTHER },
      types: {
        Person: [
          { name: 'name', type: 'string' },
          { name: 'wallet', type: 'address' },
        ],
      },
      primaryType: 'Person',
      message: { name: 'Ada', wallet: OTHER },
    }
    const signature = await bank.signTypedData(data)
    assert.equal(await verifyTypedData({ ...data, address: bankAddress, signature }), true)
  })
})

describe('contracts', () => {
  it('reads, writes and simulates', async () => {
    const contract = getContract({ ...token, client: { public: client, wallet } })
    assert.equal(await contract.read.symbol(), 'RHZ')
    const { request, result } = await contract.simulate.transfer([OTHER, 2n], { account })
    assert.equal(result, true)
    assert.equal((await mined(await wallet.writeContract(request))).status, 'success')
    const before = await client.readContract({
      ...token,
      functionName: 'balanceOf',
      args: [OTHER],
      blockNumber: deployedAt,
    })
    assert.equal(before, 0n)
  })
  it('has the address that the sender gives', async () => {
    const nonce = await client.getTransactionCount({ address: account.address })
    const expected = getContractAddress({ from: account.address, nonce: BigInt(nonce) })
    assert.equal((await deploy(FAILURES, [])).toLowerCase(), expected.toLowerCase())
  })
  it('parses the logs of a receipt', async () => {
    const { logs } = await transfer(9n)
    const [{ eventName, args }] = parseEventLogs({ abi: TOKEN.abi, logs })
    assert.deepEqual([eventName, args.value, args.to.toLowerCase()], ['Transfer', 9n, OTHER])
  })
  it('finds past events', async () => {
    const { blockHash, blockNumber } = await transfer(3n, bankAddress)
    const range = { fromBlock: 0n, toBlock: 'latest' }
    const all = await client.getContractEvents({ ...token, eventName: 'Transfer', ...range })
    const some = await client.getContractEvents({
      ...token,
      eventName: 'Transfer',
      args: { to: bankAddress },
      ...range,
    })
    assert.ok(all.length > some.length)
    assert.deepEqual([some.length, some[0].args.value, some[0].blockNumber], [1, 3n, blockNumber])
    const event = parseAbiItem('event Transfer(address indexed, address indexed, uint256)')
    assert.equal((await client.getLogs({ address, event, blockHash })).length, 1)
  })
  it('reads at a block without it', async () => {
    const error = await fails(client.readContract({ ...token, functionName: 'symbol', blockNumber: 1n }))
    assert.ok(
      error.walk(
        ({ name }) => name === 'AbiDecodingZeroDataError' || name === 'ContractFunctionZeroDataError',
      ),
    )
  })
  for (const [functionName, { args = [], reason, errorName, errorArgs }] of Object.entries({
    withReason: { args: ['not today'], reason: 'not today', errorName: 'Error' },
    withError: { args: [7n, 'why'], errorName: 'Refused', errorArgs: [account.address, 7n, 'why'] },
    withBareError: { errorName: 'Bare' },
    overflow: { args: [1n], errorName: 'Panic', errorArgs: [17n] },
    divide: { args: [1n, 0n], errorName: 'Panic', errorArgs: [18n] },
    assertion: { args: [false], errorName: 'Panic', errorArgs: [1n] },
    withoutData: {},
  })) {
    it(`decodes ${functionName} of reads, simulations, estimates and writes`, async () => {
      const call = { ...failures, functionName, args, account }
      for (const way of [
        () => client.readContract(call),
        () => client.simulateContract(call),
        () => client.estimateContractGas(call),
        () => wallet.writeContract(call),
      ]) {
        const error = await fails(way())
        const found = error.walk((cause) => cause instanceof ContractFunctionRevertedError)
        assert.ok(found, error.message)
        assert.equal(found.data?.errorName, errorName)
        if (reason !== undefined) assert.equal(found.reason, reason)
        if (errorArgs !== undefined) assert.deepEqual(found.data.args, errorArgs)
      }
    })
  }
  it('a mined failure', async () => {
    const call = { ...failures, functionName: 'withBareError', gas: 100_000n }
    assert.equal((await mined(await wallet.writeContract(call))).status, 'reverted')
  })
})

describe('filters', () => {
  it('of blocks, waiting transactions, events and contracts', async () => {
    const made = {
      blocks: await client.createBlockFilter(),
      pending: await client.createPendingTransactionFilter(),
      event: await client.createEventFilter({ address }),
      contract: await client.createContractEventFilter({
        ...token,
        eventName: 'Transfer',
        args: { to: OTHER },
      }),
    }
    const { blockHash, transactionHash } = await transfer(4n)
    assert.deepEqual(await client.getFilterChanges({ filter: made.blocks }), [blockHash])
    assert.ok((await client.getFilterChanges({ filter: made.pending })).includes(transactionHash))
    assert.equal((await client.getFilterChanges({ filter: made.event })).length, 1)
    const [log] = await client.getFilterChanges({ filter: made.contract })
    assert.equal(log.args.value, 4n)
    assert.deepEqual(await client.getFilterChanges({ filter: made.contract }), [])
    for (const filter of Object.values(made)) assert.equal(await client.uninstallFilter({ filter }), true)
  })
})

const socket = createPublicClient({ ...options, transport: webSocket(URL.replace('http', 'ws')) })
after(async () => (await socket.transport.getRpcClient()).close())
for (const [way, watcher] of Object.entries({ polling: client, WebSocket: socket })) {
  describe(`events by ${way}`, () => {
    it('of blocks, transactions, events and contracts', async () => {
      const seen = { blocks: [], numbers: [], pending: [], events: [], contract: [] }
      const faults = []
      const onError = (error) => faults.push(error)
      const stops = [
        watcher.watchBlocks({ onBlock: ({ hash }) => seen.blocks.push(hash), onError }),
        watcher.watchBlockNumber({ onBlockNumber: (number) => seen.numbers.push(number), onError }),
        watcher.watchPendingTransactions({
          onTransactions: (hashes) => seen.pending.push(...hashes),
          onError,
        }),
        watcher.watchEvent({ address, onLogs: (logs) => seen.events.push(...logs), onError }),
        watcher.watchContractEvent({
          ...token,
          eventName: 'Transfer',
          args: { to: OTHER },
          onLogs: (logs) => seen.contract.push(...logs),
          onError,
        }),
      ]
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      const { blockHash, blockNumber, transactionHash } = await transfer(12n)
      await soon(() => seen.blocks.includes(blockHash))
      await soon(() => seen.numbers.includes(blockNumber))
      await soon(() => seen.pending.includes(transactionHash))
      await soon(() => seen.events.some((log) => log.transactionHash === transactionHash))
      await soon(() => seen.contract.some(({ args }) => args.value === 12n))
      for (const stop of stops) stop()
      assert.deepEqual(faults, [])
    })
  })
}
describe('WebSocket', () => {
  it('requests and failures', async () => {
    assert.equal(await socket.getChainId(), 33)
    const error = await fails(socket.readContract({ ...failures, functionName: 'withBareError' }))
    assert.match(error.message, /Bare/)
  })
})

describe('test actions', () => {
  it('snapshots, time, balances, code and impersonation', async () => {
    const id = await admin.snapshot()
    await admin.setBalance({ address: OTHER, value: 99n })
    assert.equal(await client.getBalance({ address: OTHER }), 99n)
    await admin.setCode({ address: OTHER, bytecode: '0x6001' })
    await admin.setNonce({ address: account.address, nonce: 1_000 })
    await admin.setStorageAt({ address, index: 2, value: toHex(8, { size: 32 }) })
    assert.equal(await client.readContract({ ...token, functionName: 'totalSupply' }), 8n)
    const { timestamp } = await client.getBlock()
    await admin.increaseTime({ seconds: 1_000 })
    await admin.mine({ blocks: 1 })
    assert.ok((await client.getBlock()).timestamp >= timestamp + 1_000n)
    await admin.setNextBlockTimestamp({ timestamp: timestamp + 5_000n })
    await admin.mine({ blocks: 1 })
    assert.equal((await client.getBlock()).timestamp, timestamp + 5_000n)
    const whale = '0x00000000000000000000000000000000000000bb'
    await admin.setBalance({ address: whale, value: parseEther('1') })
    await admin.impersonateAccount({ address: whale })
    const hash = await createWalletClient({ ...options, account: whale }).sendTransaction({
      to: bankAddress,
      value: 1n,
    })
    assert.equal((await mined(hash)).from, whale)
    await admin.stopImpersonatingAccount({ address: whale })
    await admin.revert({ id })
    assert.equal(await client.readContract({ ...token, functionName: 'totalSupply' }), SUPPLY)
  })
  it('the pool', async () => {
    await admin.setAutomine(false)
    try {
      const hash = await wallet.sendTransaction({ to: OTHER, value: 1n, gas: 21_000n })
      assert.deepEqual(await admin.getTxpoolStatus(), { pending: 1, queued: 0 })
      await admin.dropTransaction({ hash })
      assert.deepEqual(await admin.getTxpoolStatus(), { pending: 0, queued: 0 })
    } finally {
      await admin.setAutomine(true)
    }
  })
})
