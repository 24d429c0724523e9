import { gzipSync } from 'node:zlib'
import t from 'tap'
import { encodeStrings } from '../../../../src/chain/codec/rlpWriter.ts'
import { toHex } from '../../../../src/util/bytes.ts'
import { readArtefact } from '../../../contracts/artefact.ts'
import { COW, STRANGER, signedTransaction } from '../../../support/signedTransaction.ts'
import { type DevNode, openDevNode } from './devNode.ts'

const NOBODY = `0x${'5a'.repeat(20)}`
const ELSEWHERE = `0x${'5b'.repeat(20)}`
const CONTRACT = `0x${'5c'.repeat(20)}`
/** From 449 on blocks commit to their fork (RSKIP110). */
const OLD = 460

const word = (hex: string) => hex.replace('0x', '').padStart(64, '0')
const quantity = (value: number) => `0x${value.toString(16)}`
const headOf = ({ ask }: DevNode) => ask('eth_getBlockByNumber', 'latest', true)

t.test('a chain is dumped and loaded, by this node and another', async (t) => {
  const node = await openDevNode(t)
  const { ask } = node
  await ask('hardhat_mine', OLD)
  await ask('eth_sendRawTransaction', toHex(signedTransaction({ value: 5n }).encoded))
  await ask('evm_mine')
  const head = await headOf(node)
  const dump = await ask('anvil_dumpState')
  const fresh = await openDevNode(t)
  await fresh.ask('hardhat_mine', 3)
  const truncated = `${dump}`.slice(0, -40)
  for (const wrong of [
    '0x',
    '0x1f8b',
    '0x28b52ffd',
    '0xc0',
    '0x7b',
    toHex(Buffer.from('{}')),
    truncated,
    'zz',
  ]) {
    t.match(await fresh.answer('anvil_loadState', wrong), { error: { code: -32602 } }, wrong.slice(0, 10))
  }
  t.equal(await fresh.ask('eth_blockNumber'), '0x3', 'what is no dump changes nothing')
  t.equal(await fresh.ask('hardhat_loadState', dump), true)
  t.same(await headOf(fresh), head)
  t.equal(await fresh.ask('eth_getTransactionCount', toHex(COW.address), 'latest'), '0x1')
  await fresh.ask('evm_mine')
  await ask('hardhat_mine', 7)
  t.equal(await ask('anvil_loadState', dump), true)
  t.same(await headOf(node), head)
})

t.test('edits and impersonation go with it, each at its block', async (t) => {
  const node = await openDevNode(t)
  const { ask } = node
  await ask('anvil_setBalance', NOBODY, '0xde0b6b3a7640000')
  await ask('hardhat_mine', OLD)
  const id = await ask('evm_snapshot')
  for (const round of [1, 2]) {
    await ask('anvil_setCode', CONTRACT, '0x600154600101600155' + '00')
    await ask('anvil_setStorageAt', CONTRACT, '0x1', `0x${word('7')}`)
    await ask('hardhat_impersonateAccount', NOBODY)
    const call = { from: NOBODY, to: CONTRACT, gas: '0x186a0', gasPrice: '0x1', value: '0x3' }
    const hash = await ask('eth_sendTransaction', call)
    await ask('eth_sendRawTransaction', toHex(signedTransaction({ value: 5n }).encoded))
    await ask('evm_mine')
    t.match(await ask('eth_getTransactionReceipt', hash), { status: '0x1' }, `round ${round}`)
    await ask('hardhat_mine', 2)
    await ask('anvil_setNonce', ELSEWHERE, '0x9')
    const dump = await ask('anvil_dumpState', true)
    const fresh = await openDevNode(t)
    t.equal(await fresh.ask('anvil_loadState', dump), true)
    const reads: readonly (readonly [string, ...unknown[]])[] = [
      ['eth_getBlockByNumber', 'latest', true],
      ['eth_getTransactionReceipt', hash],
      ['eth_getBalance', NOBODY, '0x0'],
      ['eth_getBalance', NOBODY, quantity(OLD + 1)],
      ['eth_getCode', CONTRACT, quantity(OLD - 1)],
      ['eth_getCode', CONTRACT, quantity(OLD)],
      ['eth_getStorageAt', CONTRACT, '0x1', quantity(OLD)],
      ['eth_getStorageAt', CONTRACT, '0x1', 'latest'],
      ['eth_getTransactionCount', ELSEWHERE, quantity(OLD + 2)],
      ['eth_getTransactionCount', ELSEWHERE, 'latest'],
      ['eth_getBalance', toHex(STRANGER.address), 'latest'],
      ['debug_traceTransaction', hash, { tracer: 'callTracer' }],
    ]
    for (const read of reads) t.same(await fresh.ask(...read), await ask(...read), read.join(' '))
    t.equal(await fresh.ask('eth_getStorageAt', CONTRACT, '0x1', 'latest'), `0x${word('8')}`)
    t.equal(await fresh.ask('eth_getTransactionCount', ELSEWHERE, 'latest'), '0x9')
    await fresh.ask('evm_mine')
    t.equal(await fresh.ask('eth_getTransactionCount', ELSEWHERE, 'latest'), '0x9', 'blocks stand on it')
    const again = await fresh.ask('anvil_dumpState')
    t.equal(await ask('hardhat_loadState', again), true, 'a dump of a loaded chain')
    t.same(await headOf(node), await headOf(fresh))
    if (round === 1) await ask('hardhat_loadState', dump)
    t.equal(await ask('evm_revert', id), false, 'snapshots are gone')
    await ask('anvil_rollback', 3)
  }
})

t.test('an edited state that is not what it says changes nothing', async (t) => {
  const { ask, answer } = await openDevNode(t)
  await ask('evm_mine')
  const root = Buffer.alloc(32, 7)
  for (const chunks of [[], [Buffer.from('c0', 'hex')], [Buffer.alloc(100, 1)]]) {
    const dump = gzipSync(encodeStrings([root, ...chunks]))
    t.match(await answer('anvil_loadState', toHex(dump)), {
      error: { code: -32602, message: /^Invalid state/ },
    })
  }
  const short = gzipSync(encodeStrings([Buffer.alloc(5), Buffer.alloc(100, 1)]))
  t.match(await answer('anvil_loadState', toHex(short)), { error: { code: -32602 } }, 'no root')
  t.equal(await ask('eth_blockNumber'), '0x1')
})

t.test('of a dump of anvil accounts, code, cells, number and time are taken', async (t) => {
  const node = await openDevNode(t)
  const { ask, answer, live } = node
  live.clock.milliseconds = 1_900_000_000_000
  await ask('hardhat_mine', 2)
  const code = readArtefact('Token').deployedBytecode
  const state = {
    block: {
      number: OLD + 5,
      beneficiary: NOBODY,
      timestamp: 1_800_000_000,
      gas_limit: 30_000_000,
      basefee: 7,
    },
    accounts: {
      [NOBODY]: { nonce: 3, balance: '0xde0b6b3a7640000', code: '0x', storage: {} },
      [ELSEWHERE]: { nonce: 0, balance: '0x0', code: '0x', storage: {} },
      [CONTRACT]: {
        nonce: 1,
        balance: '0x5',
        code,
        storage: { [`0x${word('2')}`]: `0x${word('64')}`, '0x7': '0x0' },
      },
    },
    best_block_number: quantity(OLD),
    blocks: [],
    transactions: [],
    historical_states: null,
  }
  const json = Buffer.from(JSON.stringify(state))
  for (const dump of [gzipSync(json), json]) {
    t.equal(await ask('anvil_loadState', toHex(dump)), true)
    const head = await headOf(node)
    t.match(head, { number: quantity(OLD), timestamp: quantity(1_800_000_000) })
    t.equal(await ask('eth_getBalance', NOBODY, 'latest'), '0xde0b6b3a7640000')
    t.equal(await ask('eth_getTransactionCount', NOBODY, 'latest'), '0x3')
    t.equal(await ask('eth_getCode', CONTRACT, 'latest'), code)
    t.equal(await ask('eth_call', { to: CONTRACT, data: '0x18160ddd' }, 'latest'), `0x${word('64')}`)
    t.equal(await ask('eth_getBalance', CONTRACT, quantity(OLD - 1)), '0x0', 'older states are not in it')
    await ask('hardhat_impersonateAccount', NOBODY)
    const call = { from: NOBODY, to: ELSEWHERE, value: '0x1', gas: '0x5208', gasPrice: '0x1' }
    const hash = await ask('eth_sendTransaction', call)
    await ask('evm_mine')
    t.match(await ask('eth_getTransactionReceipt', hash), { status: '0x1', blockNumber: quantity(OLD + 1) })
    t.equal((await headOf(node)).timestamp, quantity(1_900_000_000), 'the clock goes on')
  }
  const load = (changed: object) =>
    answer('anvil_loadState', toHex(Buffer.from(JSON.stringify({ ...state, ...changed }))))
  t.match(await load({ block: { number: 2 }, best_block_number: undefined }), { result: true })
  t.equal((await headOf(node)).number, '0x2', 'without a time')
  for (const changed of [
    { best_block_number: 100_001 },
    { accounts: null },
    { accounts: { [NOBODY]: 5 } },
    { accounts: { '0x5a': {} } },
    { accounts: { [NOBODY]: { balance: `0x1${'0'.repeat(64)}` } } },
    { accounts: { [NOBODY]: { storage: { x: '0x1' } } } },
    { accounts: { [NOBODY]: { code: '0xz' } } },
  ]) {
    t.match(await load(changed), { error: { code: -32602 } }, JSON.stringify(changed))
  }
  t.equal((await headOf(node)).number, '0x2')
})
