import t from 'tap'
import { getContractAddress } from 'viem'
import { quantity } from '../../../../src/rpc/format/quantity.ts'
import { openDevNode } from './devNode.ts'

const RICH = `0x${'5a'.repeat(20)}` as const
const OTHER = `0x${'5b'.repeat(20)}` as const
const POOR = `0x${'5c'.repeat(20)}` as const
const CONTRACT = `0x${'c0'.repeat(20)}`
/** Returns the balance of the account in its data. */
const READS_BALANCE = '0x6000353160005260206000f3'
/** Returns its address, as a creation does. */
const RETURNS_ADDRESS = '0x3060005260206000f3'

const word = (value: string) => `0x${value.replace('0x', '').padStart(64, '0')}`
const hex = (value: bigint) => `0x${value.toString(16)}`
/** Up to the widest of 32 bytes; from the second on a signed word is below zero. */
const BALANCES = [2n ** 255n - 1n, 2n ** 255n, 2n ** 255n + 1n, 2n ** 256n - 1n].map(hex)
const NONCES = [2n ** 53n + 1n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n].map(hex)
const TOO_WIDE = { balance: hex(2n ** 256n), nonce: hex(2n ** 64n) }

t.test('balances of 32 bytes are set, kept and read as they are', async (t) => {
  const { ask } = await openDevNode(t)
  await ask('evm_mine')
  await ask('hardhat_setCode', CONTRACT, READS_BALANCE)
  for (const balance of BALANCES) {
    await ask('hardhat_setBalance', RICH, balance)
    for (const mined of [false, true]) {
      if (mined) await ask('evm_mine')
      t.equal(await ask('eth_getBalance', RICH, 'latest'), balance)
      t.equal(await ask('eth_getBalance', RICH, 'pending'), balance)
      t.match(await ask('eth_getAccountInfo', RICH, 'latest'), { balance })
      t.match(await ask('eth_getProof', RICH, [], 'latest'), { balance })
      t.equal(await ask('eth_call', { to: CONTRACT, data: word(RICH) }, 'latest'), word(balance))
    }
    const all = { from: RICH, to: OTHER, value: balance }
    t.equal(await ask('eth_estimateGas', all), '0x5208', 'it pays all that it has')
    t.match(await ask('debug_traceCall', all, 'latest', { tracer: 'prestateTracer' }), {
      [RICH]: { balance },
    })
    const { stateDiff } = await ask('trace_call', all, ['stateDiff'], 'latest')
    t.same(stateDiff[RICH].balance, { '*': { from: balance, to: '0x0' } })
    t.match(stateDiff[OTHER].balance, { '+': balance })
  }
})

t.test('balances of 32 bytes may be overridden', async (t) => {
  const { ask } = await openDevNode(t)
  await ask('evm_mine')
  await ask('hardhat_setCode', CONTRACT, READS_BALANCE)
  const call = { to: CONTRACT, data: word(RICH) }
  for (const balance of BALANCES) {
    const overrides = { [RICH]: { balance } }
    t.equal(await ask('eth_call', call, 'latest', overrides), word(balance))
    t.equal(
      await ask('eth_estimateGas', { from: RICH, to: OTHER, value: balance }, 'latest', overrides),
      '0x5208',
    )
    const simulated = { stateOverrides: overrides, calls: [call, { from: RICH, to: OTHER, value: balance }] }
    const [{ calls }] = await ask('eth_simulateV1', { blockStateCalls: [simulated] }, 'latest')
    t.match(calls, [{ returnData: word(balance) }, { status: '0x1' }])
  }
})

t.test('nonces of 8 bytes are set, kept, overridden and read as they are', async (t) => {
  const { ask } = await openDevNode(t)
  await ask('evm_mine')
  for (const nonce of NONCES) {
    await ask('hardhat_setNonce', RICH, nonce)
    t.equal(await ask('eth_getTransactionCount', RICH, 'latest'), nonce)
    t.match(await ask('eth_getAccountInfo', RICH, 'latest'), { nonce })
    t.match(await ask('eth_getProof', RICH, [], 'latest'), { nonce })
    const creation = { from: RICH, data: RETURNS_ADDRESS }
    const created = word(getContractAddress({ from: RICH, nonce: BigInt(nonce) }).toLowerCase())
    t.equal(await ask('eth_call', creation, 'latest'), created)
    const overrides = { [OTHER]: { nonce } }
    const other = word(getContractAddress({ from: OTHER, nonce: BigInt(nonce) }).toLowerCase())
    t.equal(await ask('eth_call', { ...creation, from: OTHER }, 'latest', overrides), other)
    t.ok(await ask('eth_estimateGas', { ...creation, from: OTHER }, 'latest', overrides))
    const paid = [{ from: POOR, to: RICH, value: '0x1' }, ['stateDiff']]
    const [{ stateDiff }] = await ask('trace_callMany', [paid, paid], 'latest')
    t.equal(stateDiff[RICH].nonce, '=')
    const sent = await ask('trace_call', { from: RICH, data: '0x' }, ['stateDiff'], 'latest')
    const told = sent.stateDiff[RICH]?.nonce
    if (typeof told === 'object') t.equal(told['*'].from, nonce)
  }
})

t.test('wider ones are refused', async (t) => {
  const { answer } = await openDevNode(t)
  const refused = { error: { code: -32602 } }
  t.match(await answer('hardhat_setBalance', RICH, TOO_WIDE.balance), refused)
  t.match(await answer('hardhat_setNonce', RICH, TOO_WIDE.nonce), refused)
  for (const override of [
    { balance: TOO_WIDE.balance },
    { nonce: TOO_WIDE.nonce },
    { balance: '-0x1' },
    { nonce: -1 },
  ]) {
    const overrides = { [RICH]: override }
    t.match(await answer('eth_call', { to: CONTRACT }, 'latest', overrides), refused)
    t.match(await answer('eth_estimateGas', { to: CONTRACT }, 'latest', overrides), refused)
    const simulated = { blockStateCalls: [{ stateOverrides: overrides, calls: [] }] }
    t.match(await answer('eth_simulateV1', simulated, 'latest'), refused)
    const tracing = { stateOverrides: overrides }
    t.match(await answer('debug_traceCall', { to: CONTRACT }, 'latest', tracing), refused)
  }
  for (const negative of ['-0x1', '-1', -1]) {
    t.match(await answer('hardhat_setBalance', RICH, negative), refused)
    t.match(await answer('hardhat_setNonce', RICH, negative), refused)
  }
})

t.test('no QUANTITY is below zero', async (t) => {
  const { ask } = await openDevNode(t, { mining: true, modules: ['*'] })
  const most = hex(2n ** 256n - 1n)
  await ask('hardhat_setBalance', RICH, most)
  await ask('hardhat_setBalance', OTHER, most)
  await ask('hardhat_impersonateAccount', RICH)
  await ask('eth_sendTransaction', { from: RICH, to: OTHER, value: '0x5', gas: '0x5208', gasPrice: '0x1' })
  t.equal(await ask('eth_getBalance', OTHER, 'latest'), '0x4', 'what has no room is lost, as with geth')
  // Local calls move value that is not there.
  const call = { from: POOR, to: OTHER, value: '0x7', gas: '0x5208' }
  const texts = [
    await ask('debug_traceCall', call, 'latest', {
      tracer: 'prestateTracer',
      tracerConfig: { diffMode: true },
    }),
    await ask('trace_call', call, ['trace', 'stateDiff'], 'latest'),
    await ask(
      'trace_callMany',
      [
        [call, ['stateDiff']],
        [call, ['stateDiff']],
      ],
      'latest',
    ),
  ].map((answer) => JSON.stringify(answer))
  for (const text of texts) t.notMatch(text, /-0x|0x-|0x[89a-f][0-9a-f]{63}"/)
  t.equal(quantity(-1n), '0x0', 'a minimum gas price, which headers may have below zero')
})
