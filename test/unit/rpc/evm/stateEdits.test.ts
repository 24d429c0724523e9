import t from 'tap'
import { exportBlocks } from '../../../../src/chain/exportBlocks.ts'
import { toHex } from '../../../../src/util/bytes.ts'
import { COW, STRANGER } from '../../../support/signedTransaction.ts'
import { openDevNode } from './devNode.ts'

const NOBODY = `0x${'5a'.repeat(20)}`
const CONTRACT = `0x${'c0'.repeat(20)}`
/** Returns the word in cell 1. */
const READS_CELL_1 = '0x60015460005260206000f3'
const SEVEN = `0x${'00'.repeat(31)}07`
const ZERO = `0x${'00'.repeat(32)}`

t.test('balance, nonce, code and cells at the head and after it', async (t) => {
  const { ask } = await openDevNode(t)
  await ask('evm_mine')
  t.equal(await ask('hardhat_setBalance', NOBODY, '0xde0b6b3a7640000'), true)
  t.equal(await ask('anvil_setNonce', NOBODY, '0x29'), true)
  t.equal(await ask('hardhat_setCode', CONTRACT, READS_CELL_1), true)
  t.equal(await ask('hardhat_setStorageAt', CONTRACT, '0x1', SEVEN), true)
  const check = async () => {
    t.equal(await ask('eth_getBalance', NOBODY, 'latest'), '0xde0b6b3a7640000')
    t.equal(await ask('eth_getTransactionCount', NOBODY, 'latest'), '0x29')
    t.equal(await ask('eth_getCode', CONTRACT, 'latest'), READS_CELL_1)
    t.equal(await ask('eth_getStorageAt', CONTRACT, '0x1', 'latest'), SEVEN)
    t.equal(await ask('eth_call', { to: CONTRACT }, 'latest'), SEVEN)
  }
  await check()
  t.equal(await ask('eth_getBalance', NOBODY, 'pending'), '0xde0b6b3a7640000')
  await ask('evm_mine')
  await check()
  await ask('hardhat_setStorageAt', CONTRACT, '0x1', ZERO)
  t.equal(await ask('eth_getStorageAt', CONTRACT, '0x1', 'latest'), ZERO)
  t.equal(await ask('eth_getTransactionCount', NOBODY, 'latest'), '0x29', 'other accounts keep theirs')
})

t.test('going back undoes edits that came later and keeps those before', async (t) => {
  const { ask, live } = await openDevNode(t)
  live.clock.milliseconds = 1_800_000_000_000
  await ask('evm_mine')
  await ask('hardhat_setBalance', NOBODY, '0x1')
  const id = await ask('evm_snapshot')
  await ask('hardhat_setBalance', NOBODY, '0x2')
  await ask('evm_mine')
  await ask('hardhat_setBalance', NOBODY, '0x3')
  t.equal(await ask('eth_getBalance', NOBODY, 'latest'), '0x3')
  await ask('evm_revert', id)
  t.equal(await ask('eth_getBalance', NOBODY, 'latest'), '0x1')
  await ask('evm_mine')
  t.equal(await ask('eth_getBalance', NOBODY, 'latest'), '0x1', 'also in a block made again')
  await ask('evm_reset')
  t.equal(await ask('eth_getBalance', NOBODY, 'latest'), '0x0')
  t.equal(live.node.core.open.environment.count('stateEdits'), 0)
})

t.test('a chain on an edited state is not exported', async (t) => {
  const { ask, live } = await openDevNode(t)
  await ask('hardhat_mine', 2)
  await ask('hardhat_setBalance', NOBODY, '0x1')
  const { reader } = live.node.core.open.chain
  t.equal([...exportBlocks(reader, { from: 1, to: 9 })].length, 2, 'the block itself is as it was')
  await ask('evm_mine')
  t.throws(() => [...exportBlocks(reader, { from: 1, to: 9 })], {
    code: 'DEVELOPMENT_ONLY',
    message: /block 3 stands on a state that was edited by hand/,
  })
  t.equal([...exportBlocks(reader, { from: 1, to: 2 })].length, 2)
})

t.test('anybody can be impersonated, and the chain is then not exported', async (t) => {
  const { ask, answer, live } = await openDevNode(t, { mining: true })
  await ask('hardhat_setBalance', NOBODY, '0xde0b6b3a7640000')
  const call = { from: NOBODY, to: toHex(STRANGER.address), value: '0x7', gas: '0x5208', gasPrice: '0x1' }
  t.match(await answer('eth_sendTransaction', call), { error: { message: /Could not find account/ } })
  t.equal(await ask('hardhat_impersonateAccount', NOBODY), true)
  const hash = await ask('eth_sendTransaction', call)
  t.match(await ask('eth_getTransactionReceipt', hash), { from: NOBODY, status: '0x1', blockNumber: '0x1' })
  t.match(await ask('eth_getTransactionByHash', hash), { from: NOBODY, nonce: '0x0' })
  t.equal(await ask('eth_getTransactionCount', NOBODY, 'latest'), '0x1')
  t.equal(await ask('eth_getBalance', toHex(STRANGER.address), 'latest'), '0x7')
  t.equal(await ask('hardhat_stopImpersonatingAccount', NOBODY), true)
  t.match(await answer('eth_sendTransaction', call), { error: { message: /Could not find account/ } })
  t.throws(() => [...exportBlocks(live.node.core.open.chain.reader, { from: 1, to: 9 })], {
    code: 'DEVELOPMENT_ONLY',
  })
})

t.test('what cannot be set', async (t) => {
  const { answer } = await openDevNode(t)
  t.match(await answer('hardhat_setBalance', NOBODY, `0x1${'00'.repeat(32)}`), { error: { code: -32602 } })
  t.match(await answer('hardhat_setNonce', NOBODY, `0x1${'00'.repeat(8)}`), { error: { code: -32602 } })
  t.match(await answer('hardhat_setStorageAt', CONTRACT, '0x0', '0x01'), { error: { code: -32602 } })
  t.match(await answer('hardhat_setCode', '0x12', '0x'), { error: { code: -32602 } })
  t.equal((await answer('eth_getBalance', toHex(COW.address), 'latest')).error, undefined)
})
