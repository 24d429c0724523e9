import t from 'tap'
import { toHex } from '../../../../src/util/bytes.ts'
import { COW, STRANGER, signedTransaction } from '../../../support/signedTransaction.ts'
import { openDevNode } from './devNode.ts'

const NOBODY = `0x${'5a'.repeat(20)}`
const ELSEWHERE = `0x${'5b'.repeat(20)}`
/** From 449 on blocks commit to their fork (RSKIP110). */
const OLD = 460

t.test('each helper of Hardhat has its name in Foundry', async (t) => {
  const { answer } = await openDevNode(t)
  const { openrpc: _, methods } = (await answer('rpc.discover')).result as {
    openrpc: string
    methods: { name: string }[]
  }
  const names = new Set(methods.map(({ name }) => name))
  const helpers = [...names].filter((name) => name.startsWith('hardhat_'))
  t.ok(helpers.length >= 20, helpers.join())
  for (const name of helpers) {
    const other = name.replace('hardhat_', 'anvil_')
    t.not((await answer(other, 'x', 'x', 'x', 'x')).error?.code, -32601, other)
  }
})

t.test('what is set of blocks counts from the next one on, on an old chain and after a rewind', async (t) => {
  const { ask, answer } = await openDevNode(t)
  await ask('hardhat_mine', OLD)
  const id = await ask('evm_snapshot')
  const latest = () => ask('eth_getBlockByNumber', 'latest', false)
  const before = await latest()
  for (const round of [1, 2]) {
    t.equal(await ask('hardhat_setCoinbase', NOBODY), true)
    t.equal(await ask('eth_coinbase'), NOBODY)
    t.equal(await ask('evm_setBlockGasLimit', '0x989680'), true)
    t.equal(await ask('anvil_setMinGasPrice', '0x64'), true)
    await ask('evm_mine')
    const block = await latest()
    t.equal(block.miner, NOBODY, `round ${round}`)
    t.ok(Number(block.minimumGasPrice) > Number(before.minimumGasPrice))
    t.ok(Number(block.gasLimit) > Number(before.gasLimit), 'it fell before')
    t.equal(await ask('anvil_setCoinbase', ELSEWHERE), true)
    await ask('evm_mine')
    t.equal((await latest()).miner, ELSEWHERE)
    t.equal(await ask('evm_revert', id), true)
  }
  for (const gas of [0, 2_999_999, 1_000_000_001, 'x']) {
    t.match(await answer('evm_setBlockGasLimit', gas), { error: { code: -32602 } })
  }
})

t.test('balances are added to, any account sends without a key, and the clock is set', async (t) => {
  const { ask, answer } = await openDevNode(t)
  const balance = async () => BigInt(await ask('eth_getBalance', NOBODY, 'latest'))
  t.equal(await ask('anvil_addBalance', NOBODY, '0x10'), null)
  t.equal(await ask('anvil_addBalance', NOBODY, `0x${(10n ** 18n).toString(16)}`), null)
  t.equal(await balance(), 10n ** 18n + 16n)
  const hash = await ask('eth_sendUnsignedTransaction', {
    from: NOBODY,
    to: ELSEWHERE,
    value: '0x5',
    gas: '0x5208',
  })
  await ask('evm_mine')
  t.match(await ask('eth_getTransactionReceipt', hash), { status: '0x1', from: NOBODY, to: ELSEWHERE })
  t.equal(await balance(), 10n ** 18n + 11n)
  await ask('anvil_addBalance', NOBODY, `0x${'f'.repeat(64)}`)
  t.equal(await balance(), 2n ** 256n - 1n, 'more than there can be is the most')
  t.match(await answer('eth_sendUnsignedTransaction', { to: ELSEWHERE }), { error: { code: -32602 } })

  const now = Math.floor(Date.now() / 1000)
  const moved = Number(await ask('evm_setTime', now + 5000))
  t.ok(moved > 4000 && moved <= 5000, 'it says by how much')
  await ask('evm_mine')
  const { timestamp } = await ask('eth_getBlockByNumber', 'latest', false)
  t.ok(Number(timestamp) >= now + 5000)
})

t.test('blocks are an interval apart until it is removed', async (t) => {
  const { ask } = await openDevNode(t)
  const times = async () => {
    const found: number[] = []
    const head = Number(await ask('eth_blockNumber'))
    for (const number of [head - 1, head]) {
      found.push(Number((await ask('eth_getBlockByNumber', `0x${number.toString(16)}`, false)).timestamp))
    }
    return (found[1] ?? 0) - (found[0] ?? 0)
  }
  await ask('hardhat_mine', OLD)
  t.equal(await ask('anvil_setBlockTimestampInterval', 90), null)
  await ask('hardhat_mine', 2)
  t.equal(await times(), 90)
  t.equal(await ask('anvil_removeBlockTimestampInterval'), true)
  t.equal(await ask('anvil_removeBlockTimestampInterval'), false)
  await ask('hardhat_mine', 2)
  t.equal(await times(), 1)
})

t.test('transactions leave the pool: one, those of an account, all', async (t) => {
  const { ask } = await openDevNode(t)
  const send = (nonce: bigint) => ask('eth_sendRawTransaction', toHex(signedTransaction({ nonce }).encoded))
  const first = await send(0n)
  await send(1n)
  t.equal(await ask('hardhat_dropTransaction', first), true)
  t.equal(await ask('hardhat_dropTransaction', first), false)
  t.same(await ask('txpool_status'), { pending: 0, queued: 1 }, 'the next one waits for it')
  t.equal(await ask('anvil_dropTransaction', await send(0n)), true)
  await send(0n)
  t.equal(await ask('anvil_removePoolTransactions', toHex(STRANGER.address)), null)
  t.same(await ask('txpool_status'), { pending: 2, queued: 0 })
  t.equal(await ask('anvil_removePoolTransactions', toHex(COW.address)), null)
  t.equal(await ask('anvil_dropAllTransactions'), null)
  t.same(await ask('txpool_status'), { pending: 0, queued: 0 })
  const sent = await send(0n)
  await ask('evm_mine')
  t.equal(await ask('hardhat_dropTransaction', sent), false, 'a mined one is in no pool')
  t.equal((await ask('eth_getTransactionReceipt', sent)).status, '0x1')
})

t.test('everybody is impersonated until it is switched off', async (t) => {
  const { ask, answer } = await openDevNode(t)
  await ask('hardhat_mine', OLD)
  await ask('evm_setAutomine', true)
  await ask('anvil_setBalance', NOBODY, '0xde0b6b3a7640000')
  const call = { from: NOBODY, to: ELSEWHERE, value: '0x5', gasPrice: '0x1' }
  t.match(await answer('eth_sendTransaction', call), { error: { code: -32602 } })
  t.equal(await ask('anvil_autoImpersonateAccount', true), null)
  const hash = await ask('eth_sendTransaction', call)
  t.equal((await ask('eth_getTransactionReceipt', hash)).from, NOBODY)
  t.equal(await ask('anvil_autoImpersonateAccount', false), null)
  t.match(await answer('eth_sendTransaction', call), { error: { code: -32602 } })
})

t.test('a reset begins anew, as another instance', async (t) => {
  const { ask, answer } = await openDevNode(t)
  const { hash: genesis } = await ask('eth_getBlockByNumber', '0x0', false)
  await ask('hardhat_mine', OLD)
  const before = await ask('hardhat_metadata')
  t.match(before, { chainId: 33, latestBlockNumber: OLD, instanceId: /^0x[0-9a-f]{64}$/ })
  t.equal((await ask('anvil_metadata')).instanceId, before.instanceId)
  t.match(await ask('anvil_nodeInfo'), {
    currentBlockNumber: `0x${OLD.toString(16)}`,
    environment: { chainId: 33 },
    forkConfig: { forkUrl: null },
  })
  await ask('hardhat_impersonateAccount', NOBODY)
  t.match(await answer('hardhat_reset', { forking: { jsonRpcUrl: 'http://127.0.0.1:1' } }), {
    error: { code: -32602, message: /cannot become another chain/ },
  })
  t.equal(await ask('eth_blockNumber'), `0x${OLD.toString(16)}`)
  t.equal(await ask('hardhat_reset', {}), true)
  t.equal(await ask('hardhat_reset', { forking: {} }), true)
  t.equal(await ask('hardhat_reset', { forking: { blockNumber: null } }), true)
  t.match(await ask('hardhat_metadata'), { latestBlockNumber: 0, latestBlockHash: genesis })
  t.not((await ask('hardhat_metadata')).instanceId, before.instanceId)
  t.match(await answer('eth_sendTransaction', { from: NOBODY, to: NOBODY }), { error: { code: -32602 } })
  t.equal(await ask('anvil_reset'), true)
})

t.test('what means nothing here is accepted', async (t) => {
  const { ask } = await openDevNode(t)
  for (const name of ['setPrevRandao', 'setNextBlockBaseFeePerGas', 'setLoggingEnabled']) {
    for (const tool of ['hardhat', 'anvil']) t.equal(await ask(`${tool}_${name}`, '0x1'), true)
  }
  t.equal(await ask('eth_blockNumber'), '0x0')
})

t.test('the client has the name that it was given, on the dev profile', async (t) => {
  const names = { rhizome: /^Rhizome\//, hardhat: /^HardhatNetwork\/.*Rhizome/, anvil: /^anvil\/.*Rhizome/ }
  for (const clientName of ['rhizome', 'hardhat', 'anvil'] as const) {
    const { ask } = await openDevNode(t, { clientName })
    t.match(await ask('web3_clientVersion'), names[clientName])
  }
  const hosted = await openDevNode(t, { clientName: 'hardhat', profile: 'hosted' })
  t.match(await hosted.ask('web3_clientVersion'), names.rhizome)
})
