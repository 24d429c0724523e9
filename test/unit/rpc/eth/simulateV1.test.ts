import t from 'tap'
import { toHex } from '../../../../src/util/bytes.ts'
import { COW, STRANGER } from '../../../support/signedTransaction.ts'
import { openDevNode } from '../evm/devNode.ts'

const NOBODY = `0x${'5a'.repeat(20)}`
const COUNTER = `0x${'c0'.repeat(20)}`
/** Adds one to cell 0, logs nothing, returns it; with the top topic as a log: LOG1 of the new value. */
const COUNTS = '0x600054600101806000558060005260006020600020602060006000a15060206000f3'
/** Reverts with Error("no"). */
const REVERTS =
  '0x7f08c379a00000000000000000000000000000000000000000000000000000000060005260206004526002602452616e6f60f01b60445260646000fd'
/** Keccak-256 of the RLP of an empty list. */
const EMPTY_LIST = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347'
const NATIVE = `0x${'ee'.repeat(20)}`
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`

t.test('each call stands on what the one before left, over blocks', async (t) => {
  const { ask } = await openDevNode(t)
  await ask('evm_mine')
  const call = { from: NOBODY, to: COUNTER }
  const blocks = await ask('eth_simulateV1', {
    blockStateCalls: [
      { stateOverrides: { [COUNTER]: { code: COUNTS } }, calls: [call, call] },
      { blockOverrides: { number: '0x5', time: '0x7fffffff', feeRecipient: NOBODY }, calls: [call] },
    ],
  })
  t.same(
    blocks.map(({ number }: { number: string }) => number),
    ['0x2', '0x3', '0x4', '0x5'],
    'blocks between are filled in',
  )
  const results = blocks.flatMap(({ calls }: { calls: { returnData: string }[] }) => calls)
  t.same(
    results.map(({ returnData }: { returnData: string }) => returnData),
    [word(1), word(2), word(3)],
  )
  t.match(blocks[3], { timestamp: '0x7fffffff', miner: NOBODY, parentHash: blocks[2].hash })
  t.equal(blocks[1].parentHash, blocks[0].hash, 'also above a block with calls')
  t.equal(BigInt(blocks[0].gasUsed), BigInt(results[0].gasUsed) + BigInt(results[1].gasUsed))
  t.match(results[1], {
    status: '0x1',
    logs: [{ logIndex: '0x1', transactionIndex: '0x1', blockNumber: '0x2', address: COUNTER }],
  })
  t.equal(await ask('eth_getCode', COUNTER, 'latest'), '0x', 'nothing is kept')
  t.equal(await ask('eth_blockNumber'), '0x1')
})

t.test('a nonce grows with each call of its sender', async (t) => {
  const { ask } = await openDevNode(t)
  const creation = { from: NOBODY, data: '0x' }
  const [{ calls }] = await ask('eth_simulateV1', {
    blockStateCalls: [
      { calls: [creation, creation, { from: NOBODY, to: toHex(STRANGER.address), value: '0x0' }] },
    ],
  })
  t.same(
    calls.map(({ status }: { status: string }) => status),
    ['0x1', '0x1', '0x1'],
  )
  const [{ calls: valued }] = await ask('eth_simulateV1', {
    blockStateCalls: [
      { calls: [{ from: toHex(COW.address), to: NOBODY, value: '0x5', nonce: '0x0', gas: '0x5208' }] },
    ],
    validation: true,
  })
  t.equal(valued[0].status, '0x1')
})

t.test('calls without gas share what their block has', async (t) => {
  const { ask } = await openDevNode(t)
  const from = toHex(COW.address)
  const calls = [
    { from, to: NOBODY },
    { from, to: NOBODY, value: '0x1' },
    { from, to: NOBODY },
  ]
  for (const validation of [false, true]) {
    const [block] = await ask('eth_simulateV1', { blockStateCalls: [{ calls }], validation })
    t.equal(Number(block.gasUsed), 63_000)
  }
})

t.test('programs find the hashes of blocks that there are, and none of overridden ones', async (t) => {
  const { ask } = await openDevNode(t)
  await ask('evm_mine')
  await ask('evm_mine')
  const { hash } = await ask('eth_getBlockByNumber', '0x2', false)
  const { hash: parent } = await ask('eth_getBlockByNumber', '0x1', false)
  // The hash of the block whose number is the call data.
  const stateOverrides = { [COUNTER]: { code: '0x6000354060005260206000f3' } }
  const calls = [1, 2, 3].map((number) => ({ to: COUNTER, data: word(number) }))
  const blocks = await ask('eth_simulateV1', {
    blockStateCalls: [{ stateOverrides, calls }, { calls }],
  })
  for (const { calls: found } of blocks) {
    t.same(
      found.map(({ returnData }: { returnData: string }) => returnData),
      [parent, hash, word(0)],
    )
  }
})

t.test('failures are told per call', async (t) => {
  const { ask } = await openDevNode(t)
  const [{ calls }] = await ask('eth_simulateV1', {
    blockStateCalls: [
      {
        stateOverrides: { [COUNTER]: { code: REVERTS }, [NOBODY]: { code: '0xfe' } },
        calls: [{ to: COUNTER }, { to: NOBODY }],
      },
    ],
  })
  t.match(calls[0], { status: '0x0', error: { code: 3, message: /execution reverted/ } })
  t.ok(calls[0].error.data.startsWith('0x08c379a0'))
  t.match(calls[1], { status: '0x0', returnData: '0x', logs: [], error: { code: -32015 } })
})

t.test('what is refused', async (t) => {
  const { answer, ask } = await openDevNode(t)
  await ask('evm_mine')
  const refused = async (simulation: unknown, message: RegExp, code = -32602) => {
    t.match(await answer('eth_simulateV1', simulation), { error: { code, message } })
  }
  await refused('x', /object expected/)
  await refused({}, /array of blocks expected/)
  await refused({ blockStateCalls: [] }, /array of blocks expected/)
  await refused({ blockStateCalls: [{ calls: 5 }] }, /Invalid calls/)
  await refused({ blockStateCalls: [{ blockOverrides: { number: '0x1' } }] }, /in order: 1 <= 1/, -38020)
  await refused({ blockStateCalls: [{ blockOverrides: { time: '0x1' } }] }, /in order: 1 <= /, -38021)
  await refused({ blockStateCalls: [{ blockOverrides: { number: '0x5000' } }] }, /at most 256/, -38026)
  await refused({ blockStateCalls: Array.from({ length: 257 }, () => ({})) }, /at most 256/, -38026)
  await refused({ blockStateCalls: [{ calls: Array.from({ length: 1001 }, () => ({})) }] }, /1000/, -38026)
  await refused({ blockStateCalls: [{ blockOverrides: { baseFeePerGas: '0x7' } }] }, /baseFeePerGas/)
  const overridden = { stateOverrides: { '0x0000000000000000000000000000000000000004': { balance: '0x1' } } }
  await refused({ blockStateCalls: [overridden] }, /Precompiled contracts can not be overridden/)
  for (const validation of [false, true]) {
    const calls = (call: object) => ({ blockStateCalls: [{ calls: [call] }], validation })
    const poor = { from: NOBODY, to: COUNTER, value: '0x1', gas: '0x5208' }
    await refused(calls(poor), /^insufficient funds for gas \* price \+ value: balance 0 does not/, -38014)
    await refused(calls({ to: COUNTER, gas: '0x5207' }), /^intrinsic gas too low: .* 20999 .* 21000/, -38013)
    await refused(calls({ to: COUNTER, gas: '0x989681' }), /^block gas limit reached/, -38015)
  }
  const numbered = (nonce: string) => ({ calls: [{ from: toHex(COW.address), to: NOBODY, nonce }] })
  const checked = (nonce: string) => ({ blockStateCalls: [numbered(nonce)], validation: true })
  await refused(checked('0x1'), /^nonce too high/, -38011)
  const raised = { [toHex(COW.address)]: { nonce: '0x5' } }
  await refused(
    { blockStateCalls: [{ stateOverrides: raised, ...numbered('0x0') }], validation: true },
    /^nonce too low/,
    -38010,
  )
  const long = { data: `0x${'00'.repeat(50_000)}`, from: toHex(COW.address) }
  await refused({ blockStateCalls: [{ calls: [long] }], validation: true }, /initcode/i, -32000)
})

t.test(
  'past the first block with fork detection data, on a rewound chain, and on the pending block',
  async (t) => {
    const { ask } = await openDevNode(t)
    const simulate = async (block: string, base: number) => {
      const calls = [{ from: toHex(COW.address), to: NOBODY, value: '0x5' }]
      const blocks = await ask('eth_simulateV1', { blockStateCalls: [{ calls }, { calls }] }, block)
      t.same(
        blocks.map(({ number }: { number: string }) => Number(number)),
        [base + 1, base + 2],
      )
      t.equal(blocks[1].parentHash, blocks[0].hash)
      t.match(blocks[1], { calls: [{ status: '0x1' }], sha3Uncles: EMPTY_LIST, uncles: [] })
      return blocks[1].hashForMergedMining.slice(-8)
    }
    // Mining itself goes over the first such block, whose height the data ends with (consensus.md §3.5).
    await ask('hardhat_mine', '0x1c3')
    t.equal(await simulate('latest', 451), (453).toString(16).padStart(8, '0'))
    t.equal(await simulate('0x1c1', 449), (451).toString(16).padStart(8, '0'))
    await simulate('0x1bf', 447)
    await simulate('pending', 452)
    const mark = await ask('evm_snapshot')
    await ask('hardhat_mine', '0x3')
    await ask('evm_revert', mark)
    await simulate('latest', 451)
  },
)

t.test('payments of the native currency are logs when they are asked for', async (t) => {
  const { ask } = await openDevNode(t)
  await ask('evm_mine')
  const from = toHex(COW.address)
  // Logs, pays its caller 2 wei, logs.
  const pays = '0x60006000a06000600060006000600233620186a0f15060006000a000'
  const simulation = {
    blockStateCalls: [
      {
        stateOverrides: { [COUNTER]: { code: pays }, [NOBODY]: { code: REVERTS } },
        calls: [
          { from, to: COUNTER, value: '0x9' },
          { from, to: NOBODY, value: '0x7' },
          { from, to: COUNTER },
        ],
      },
    ],
  }
  const [plain] = await ask('eth_simulateV1', simulation)
  t.same(
    plain.calls.map(({ logs }: { logs: unknown[] }) => logs.length),
    [2, 0, 2],
  )
  const [{ calls, logsBloom }] = await ask('eth_simulateV1', { ...simulation, traceTransfers: true })
  const padded = (address: string) => `0x${'00'.repeat(12)}${address.slice(2)}`
  const payment = (payer: string, payee: string, wei: number) => ({
    address: NATIVE,
    topics: [TRANSFER, padded(payer), padded(payee)],
    data: word(wei),
    removed: false,
  })
  t.match(calls[0].logs, [
    { ...payment(from, COUNTER, 9), logIndex: '0x0' },
    { address: COUNTER, logIndex: '0x1' },
    { ...payment(COUNTER, from, 2), logIndex: '0x2' },
    { address: COUNTER, logIndex: '0x3' },
  ])
  t.same(calls[1].logs, [], 'what was undone')
  t.match(calls[2].logs[1], { ...payment(COUNTER, from, 2), logIndex: '0x5', transactionIndex: '0x2' })
  t.equal(logsBloom, plain.logsBloom, 'nobody logged them')
})

t.test('calls are transactions that nobody signed', async (t) => {
  const { ask } = await openDevNode(t)
  await ask('evm_mine')
  const from = toHex(COW.address)
  const blockStateCalls = [
    {
      calls: [
        { from, to: NOBODY, value: '0x5', gas: '0x5208' },
        { from, data: '0x00' },
      ],
    },
  ]
  const [{ transactions: hashes, calls, ...block }] = await ask('eth_simulateV1', { blockStateCalls })
  const [full] = await ask('eth_simulateV1', { blockStateCalls, returnFullTransactions: true })
  t.same(
    full.transactions.map(({ hash }: { hash: string }) => hash),
    hashes,
  )
  const place = { blockHash: block.hash, blockNumber: '0x2', v: '0x0', r: '0x0', s: '0x0', type: '0x0' }
  t.match(full.transactions[0], {
    ...place,
    transactionIndex: '0x0',
    from,
    to: NOBODY,
    value: '0x5',
    gas: '0x5208',
    nonce: '0x0',
    input: '0x',
  })
  t.match(full.transactions[1], { ...place, transactionIndex: '0x1', to: null, nonce: '0x1', input: '0x00' })
  t.equal(
    full.transactions[1].gas,
    `0x${(Number(block.gasLimit) - 21_000).toString(16)}`,
    'what the block had left',
  )
  t.equal(full.hash, block.hash)
  t.not(block.transactionsRoot, `0x${'56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'}`)
  t.equal(calls.length, 2)
  // The hash is the one that the sender would sign, as any library makes it.
  const { Transaction } = await import('ethers')
  const { unsignedHash } = Transaction.from({
    type: 0,
    chainId: 33,
    nonce: 0,
    gasPrice: 0,
    gasLimit: 21_000,
    to: NOBODY,
    value: 5,
  })
  t.equal(hashes[0], unsignedHash)
})
