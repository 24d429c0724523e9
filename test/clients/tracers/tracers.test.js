const assert = require('node:assert/strict')
const { after, before, test } = require('node:test')
const { Wallet } = require('ethers')
const { differences, normal } = require('./compare.js')
const { HELPERS, creation, programs } = require('./programs.js')
const { client, startAnvil, startGeth } = require('./peers.js')

/** The sender of everything: new on all chains, so that contracts stand at the same addresses. */
const SENDER = new Wallet(`0x${'5e'.repeat(32)}`)
const FUNDS = `0x${(10n ** 21n).toString(16)}`
const GAS_PRICE = 10_000_000_000n

const chains = {}
let list

before(
  async () => {
    chains.node = await chain(client(process.env.NODE_URL))
    await chains.node.ask('hardhat_setBalance', SENDER.address, FUNDS)
    const anvil = await startAnvil()
    chains.anvil = await chain(anvil.ask, anvil.stop)
    await chains.anvil.ask('anvil_setBalance', SENDER.address, FUNDS)
    const geth = await startGeth()
    chains.geth = await chain(geth.ask, geth.stop)
    const [rich] = await geth.ask('eth_accounts')
    await mined(
      chains.geth,
      await geth.ask('eth_sendTransaction', { from: rich, to: SENDER.address, value: FUNDS }),
    )

    FEES.geth = (await geth.ask('eth_getBlockByNumber', 'latest', false)).miner
    const addresses = {}
    for (const [name, hex] of Object.entries(HELPERS))
      addresses[name] = await everywhere({ creates: creation(hex) })
    list = programs((name) => addresses[name].contract)
    for (const program of list) {
      if (program.code !== undefined)
        program.to = (await everywhere({ creates: creation(program.code) })).contract
      Object.assign(program, await everywhere(program))
    }
  },
  { timeout: 240_000 },
)

after(async () => {
  for (const { stop } of Object.values(chains)) await stop?.()
})

async function chain(ask, stop) {
  return { ask, stop, id: BigInt(await ask('eth_chainId')), nonce: 0 }
}

async function mined({ ask }, hash) {
  for (let left = 400; left > 0; left -= 1) {
    // geth refuses while it indexes what it just began with.
    const receipt = await ask('eth_getTransactionReceipt', hash).catch(() => null)
    if (receipt !== null) return receipt
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error(`${hash} is in no block`)
}

function signed(to, { creates, data, value, gas }) {
  const { id, nonce } = to
  return (at) =>
    SENDER.signTransaction({
      type: 0,
      chainId: id,
      nonce: at ?? nonce,
      gasPrice: GAS_PRICE,
      gasLimit: gas ?? 2_000_000,
      data: creates ?? data ?? '0x',
      value: value ?? 0,
      ...(to.target === undefined ? {} : { to: to.target }),
    })
}

/** One transaction on all chains; its hashes, the numbers and hashes of its blocks, and the contract that it made. */
async function everywhere(program) {
  const made = await Promise.all(
    Object.entries(chains).map(async ([name, one]) => {
      const raw = await signed({ ...one, target: program.to }, program)()
      one.nonce += 1
      return [name, await mined(one, await one.ask('eth_sendRawTransaction', raw))]
    }),
  )
  const receipts = Object.fromEntries(made)
  const contracts = new Set(made.map(([, { contractAddress }]) => contractAddress))
  assert.equal(contracts.size, 1, 'one address on all chains')
  // Contracts begin with nonce 1 in Ethereum, and what they create has its address of it.
  const [contract] = contracts
  if (contract !== null && Number(receipts.node.status) === 1) {
    await chains.node.ask('hardhat_setNonce', contract, '0x1')
  }
  return { receipts, contract }
}

/** Compares what the node and a peer make of every program and of what is asked, and says where they differ. */
async function compareAll(peer, ask, { clean = (answer) => answer, without = () => false } = {}) {
  const found = []
  const compared = list.filter((program) => !without(program))
  for (const program of compared) {
    const answers = {}
    for (const name of ['node', peer]) {
      const answer = await ask(chains[name].ask, program.receipts[name], program, name)
      answers[name] = normal(clean(answer, name))
    }
    for (const { path, mine, theirs } of differences(answers.node, answers[peer])) {
      found.push(
        `${program.name}${path}: ${JSON.stringify(mine)?.slice(0, 300)} / ${JSON.stringify(theirs)?.slice(0, 300)}`,
      )
    }
  }
  assert.ok(compared.length > 70)
  assert.equal(
    found.length,
    0,
    `${found.length} differences\n${found.slice(0, Number(process.env.SHOWN ?? 20)).join('\n')}`,
  )
}

/**
 * Named differences of callTracer: as in the reference an empty output and the value of a static call are said, CREATE2
 * is called CREATE, and a call shows the logs of the calls below it; a stack underflow has no figures.
 */
function calls(frame) {
  const { output, error, type, value, logs, ...rest } = frame
  return {
    ...rest,
    type: type === 'CREATE2' ? 'CREATE' : type,
    ...(type === 'STATICCALL' ? {} : { value }),
    ...(output === undefined || output === '0x' ? {} : { output }),
    ...(error === undefined ? {} : { error: words(error) }),
    ...(rest.calls === undefined ? {} : { calls: rest.calls.map(calls) }),
    ...(logs === undefined || rest.calls !== undefined
      ? {}
      : { logs: logs.map(({ index, position, ...log }) => log) }),
  }
}
const words = (error) => error.replace(/^(stack underflow).*/, '$1')

/**
 * Named differences of flat calls: what failed has no result here, as with Parity, and says so in Parity's words (anvil
 * has those of its EVM); the way of a creation is said; what is in no block has no place.
 */
function flat(list) {
  return list.map(({ result, error, action: { creationMethod, ...action }, ...rest }) => {
    const { blockHash, blockNumber, transactionHash, transactionPosition, ...call } = rest
    return { ...call, action, ...(error === undefined ? { result: result ?? null } : { failed: true }) }
  })
}

/** Named differences of states: who gets the fees, what the sender has left, wei that precompiled contracts have. */
function states(answer, name) {
  const kept = {}
  for (const [address, { balance, nonce, ...account }] of Object.entries(answer)) {
    if (address === FEES[name]) continue
    const hasOwn = address === SENDER.address.toLowerCase() || BigInt(address) < 256n
    const known = {
      ...account,
      ...(balance === undefined || hasOwn ? {} : { balance }),
      ...(address === SENDER.address.toLowerCase() ? { nonce } : {}),
    }
    if (Object.keys(known).length > 0 || balance !== undefined) kept[address] = known
  }
  return kept
}
const diffs = ({ pre, post }, name) => ({ pre: states(pre, name), post: states(post, name) })
const FEES = { node: '0x0000000000000000000000000000000001000008' }

/** A call raises no nonce here. */
function withoutNonces(answer) {
  const drop = (accounts) =>
    Object.fromEntries(
      Object.entries(accounts)
        .map(([address, { nonce, ...account }]) => [address, account])
        .filter(([address]) => address !== SENDER.address.toLowerCase()),
    )
  return { pre: drop(answer.pre), post: drop(answer.post) }
}

/** Named differences of struct logs: refunds are gas rules; geth does not tell what halted some instructions. */
function structs({ structLogs, ...rest }) {
  return { ...rest, structLogs: structLogs.map(({ refund, error, ...log }) => log) }
}

const hidden = ({ hidden: isHidden }) => isHidden === true
/** The creation with a salt stands already: a collision takes all gas here, with geth that of the creation. */
const standsAlready = ({ name }) => name === 'creates with a salt'
const endless = ({ endless: isEndless }) => isEndless === true
/** geth takes an account for gone whose SELFDESTRUCT a static call refused. */
const refusedEnd = ({ name }) => name === 'static call that writes'

const TRACERS = [
  ['callTracer', {}, { clean: calls, without: hidden }],
  ['callTracer', { withLog: true }, { clean: calls, without: hidden }],
  ['callTracer', { onlyTopCall: true }, { clean: calls }],
  ['flatCallTracer', { convertParityErrors: true }, { clean: flat, without: hidden }],
  ['prestateTracer', {}, { clean: states }],
  ['prestateTracer', { diffMode: true }, { clean: diffs, without: refusedEnd }],
  ['4byteTracer', {}, {}],
  ['noopTracer', {}, {}],
  [
    'muxTracer',
    { callTracer: { withLog: true }, prestateTracer: {}, '4byteTracer': {}, noopTracer: {} },
    {
      clean: (answer, name) => ({
        ...answer,
        callTracer: calls(answer.callTracer),
        prestateTracer: states(answer.prestateTracer, name),
      }),
      without: hidden,
    },
  ],
]

for (const [tracer, tracerConfig, rules] of TRACERS) {
  const { clean = (answer) => answer, without = () => false } = rules
  const title = `${tracer} ${JSON.stringify(tracerConfig)}`
  test(`debug_traceTransaction ${title}`, () =>
    compareAll(
      'geth',
      (ask, { transactionHash }) => ask('debug_traceTransaction', transactionHash, { tracer, tracerConfig }),
      rules,
    ))
  // The block of REMASC's transaction has one more here.
  test(`debug_traceBlockByHash ${title}`, () =>
    compareAll(
      'geth',
      async (ask, { blockHash }) =>
        (await ask('debug_traceBlockByHash', blockHash, { tracer, tracerConfig }))[0].result,
      rules,
    ))
  test(`debug_traceCall ${title}`, () =>
    compareAll(
      'geth',
      (ask, _, { to, data, creates, value, gas }) => {
        const call = { from: SENDER.address, to, data: creates ?? data, value, gas: gas ?? '0x1e8480' }
        return ask('debug_traceCall', call, 'latest', { tracer, tracerConfig })
      },
      {
        clean: (answer, name) =>
          tracerConfig.diffMode ? withoutNonces(clean(answer, name)) : clean(answer, name),
        without: (program) => without(program) || standsAlready(program),
      },
    ))
}

for (const options of [
  {},
  { enableMemory: true },
  { enableReturnData: true },
  { disableStack: true, disableStorage: true },
]) {
  test(`debug_traceTransaction, struct logs ${JSON.stringify(options)}`, () =>
    compareAll(
      'geth',
      (ask, { transactionHash }, _, name) =>
        ask('debug_traceTransaction', transactionHash, {
          ...options,
          ...(name === 'node' ? { tracer: 'structLogger' } : {}),
        }),
      {
        clean: structs,
        // What a creation reverted with is no return data here.
        without: (program) => endless(program) || (options.enableReturnData && hidden(program)),
      },
    ))
}

test('debug_storageRangeAt', () =>
  compareAll('geth', async (ask, _, { to }, name) => {
    if (to === undefined || to === null) return null
    // What all programs left, before the only transaction of the last block.
    const { blockHash } = list.at(-1).receipts[name]
    const { storage, nextKey } = await ask('debug_storageRangeAt', blockHash, 0, to, '0x', 1024)
    const first = await ask('debug_storageRangeAt', blockHash, 0, to, '0x', 1)
    // geth has null for no storage.
    return { storage: storage ?? {}, nextKey, first: first.storage ?? {}, nextOfFirst: first.nextKey }
  }))

test('eth_getHeaderByNumber and eth_getHeaderByHash', async () => {
  for (const { receipts } of list.slice(0, 5)) {
    const members = []
    for (const name of ['node', 'geth']) {
      const { ask } = chains[name]
      const header = await ask('eth_getHeaderByNumber', receipts[name].blockNumber)
      assert.deepEqual(await ask('eth_getHeaderByHash', receipts[name].blockHash), header)
      const { transactions, uncles, size, totalDifficulty, cumulativeDifficulty, withdrawals, ...block } =
        await ask('eth_getBlockByHash', receipts[name].blockHash, false)
      assert.deepEqual(
        Object.keys(block)
          .sort()
          .filter((key) => !(key in header)),
        [],
        `${name} says no less of a header than of its block`,
      )
      members.push(new Set(Object.keys(header)))
    }
    // What Ethereum's upgrades added to headers after they were Rootstock's.
    const later = [
      'baseFeePerGas',
      'blobGasUsed',
      'excessBlobGas',
      'parentBeaconBlockRoot',
      'requestsHash',
      'withdrawalsRoot',
    ]
    assert.deepEqual(
      [...members[1]].filter((key) => !members[0].has(key)).sort(),
      later.filter((key) => members[1].has(key)),
    )
  }
})

test('txpool_contentFrom', async () => {
  const found = {}
  for (const name of ['node', 'geth']) {
    const one = chains[name]
    await one.ask(
      'eth_sendRawTransaction',
      await signed({ ...one, target: SENDER.address }, {})(one.nonce + 2),
    )
    found[name] = await one.ask('txpool_contentFrom', SENDER.address)
    assert.deepEqual(await one.ask('txpool_contentFrom', `0x${'77'.repeat(20)}`), { pending: {}, queued: {} })
  }
  const of = ({ pending, queued }) => ({
    pending,
    queued: Object.entries(queued).map(([nonce, { from, to, input, value, nonce: own }]) => ({
      nonce,
      from,
      to,
      input,
      value: BigInt(value),
      own,
    })),
  })
  assert.deepEqual(of(found.node), of(found.geth))
})

test('eth_sendRawTransactionSync, anvil', async () => {
  const members = []
  for (const name of ['node', 'anvil']) {
    const one = chains[name]
    const receipt = await one.ask(
      'eth_sendRawTransactionSync',
      await signed({ ...one, target: SENDER.address }, {})(),
    )
    assert.deepEqual(receipt, await one.ask('eth_getTransactionReceipt', receipt.transactionHash))
    members.push(receipt.status)
  }
  assert.equal(members[0], members[1])
})

test('trace_transaction, anvil', () =>
  compareAll('anvil', (ask, { transactionHash }) => ask('trace_transaction', transactionHash), {
    clean: flat,
    without: hidden,
  }))

test('trace_replayBlockTransactions, anvil', () =>
  compareAll(
    'anvil',
    async (ask, { blockNumber }) => (await ask('trace_replayBlockTransactions', blockNumber, ['trace']))[0],
    { clean: ({ trace, output }) => ({ output, trace: flat(trace) }), without: hidden },
  ))

test('trace_replayTransaction and trace_callMany say what a replay of the block and trace_call say', async () => {
  const { ask } = chains.node
  for (const { receipts, to, data, creates, value, gas } of list) {
    const { transactionHash, blockNumber } = receipts.node
    const types = ['trace', 'stateDiff']
    const [first] = await ask('trace_replayBlockTransactions', blockNumber, types)
    const { transactionHash: hash, ...replayed } = first
    assert.equal(hash, transactionHash)
    assert.deepEqual(await ask('trace_replayTransaction', transactionHash, types), replayed)
    const call = { from: SENDER.address, to, data: creates ?? data, value, gas: gas ?? '0x1e8480' }
    const many = await ask('trace_callMany', [[call, types]], 'latest')
    assert.deepEqual(many, [await ask('trace_call', call, types, 'latest')])
  }
})
