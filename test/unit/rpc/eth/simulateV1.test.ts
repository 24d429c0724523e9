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

t.test('programs find the hashes of blocks that there are, and none of pretended ones', async (t) => {
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
  t.match(calls[0], { status: '0x0', error: { code: -32015, message: /revert/ } })
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
  await refused({ blockStateCalls: [{}], traceTransfers: true }, /traceTransfers is not supported/)
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
