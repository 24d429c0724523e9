import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { exportBlocks } from '../../../../src/chain/exportBlocks.ts'
import { importBlocks } from '../../../../src/chain/import/importBlocks.ts'
import { toHex } from '../../../../src/util/bytes.ts'
import { openTestChain, REGTEST } from '../../../support/openTestChain.ts'
import { COW, STRANGER, signedTransaction } from '../../../support/signedTransaction.ts'
import { openDevNode } from './devNode.ts'

const transfer = (nonce: bigint, value = 5n) => toHex(signedTransaction({ nonce, value }).encoded)

/** Emits an empty log when it is created. */
const LOGGING_CODE = Buffer.from('60006000a0', 'hex')

t.test('snapshots nest; going back drops later ones and keeps its own', async (t) => {
  const { ask } = await openDevNode(t)
  await ask('evm_mine')
  t.equal(await ask('evm_snapshot'), '0x1')
  await ask('evm_mine')
  t.equal(await ask('evm_snapshot'), '0x2')
  await ask('evm_mine')
  t.equal(await ask('eth_blockNumber'), '0x3')
  t.equal(await ask('evm_revert', '0x2'), true)
  t.equal(await ask('eth_blockNumber'), '0x2')
  t.equal(await ask('evm_revert', '0x1'), true)
  t.equal(await ask('eth_blockNumber'), '0x1')
  t.equal(await ask('evm_revert', '0x2'), false, 'it was dropped')
  t.equal(await ask('evm_revert', '0x1'), true, 'it was kept')
  t.equal(await ask('evm_snapshot'), '0x3')
  for (const [reset, id] of [
    ['evm_reset', '0x4'],
    ['hardhat_reset', '0x5'],
    ['anvil_reset', '0x6'],
  ] as const) {
    await ask(reset)
    t.equal(await ask('eth_blockNumber'), '0x0')
    t.equal(await ask('evm_revert', '0x1'), false)
    t.equal(await ask('evm_snapshot'), id, 'whoever has an older one goes back to no other')
    await ask('evm_mine')
    t.equal(await ask('evm_revert', id), true)
    t.equal(await ask('eth_blockNumber'), '0x0')
  }
  const dump = await ask('anvil_dumpState')
  await ask('anvil_loadState', dump)
  t.equal(await ask('evm_revert', '0x6'), false)
  t.equal(await ask('evm_snapshot'), '0x7')
})

t.test('nothing of a block that was taken back is left', async (t) => {
  const { ask, answer } = await openDevNode(t)
  await ask('evm_snapshot')
  const balance = await ask('eth_getBalance', toHex(STRANGER.address), 'latest')
  const sent = await ask('eth_sendRawTransaction', transfer(0n))
  const creation = signedTransaction({
    nonce: 1n,
    to: Buffer.alloc(0),
    data: LOGGING_CODE,
    gasLimit: 90_000n,
    value: 0n,
  })
  await ask('eth_sendRawTransaction', toHex(creation.encoded))
  await ask('evm_mine')
  const { hash } = await ask('eth_getBlockByNumber', '0x1', false)
  await ask('eth_sendRawTransaction', transfer(2n))
  t.same(await ask('txpool_status'), { pending: 1, queued: 0 })
  t.equal((await ask('eth_getLogs', { fromBlock: '0x0' })).length, 1)
  t.ok(await ask('eth_getTransactionReceipt', sent))

  await ask('evm_revert', '0x1')
  t.equal(await ask('eth_getBlockByHash', hash, false), null)
  t.equal(await ask('eth_getBlockByNumber', '0x1', false), null)
  t.equal(await ask('eth_getTransactionByHash', sent), null)
  t.equal(await ask('eth_getTransactionReceipt', sent), null)
  t.same(await ask('eth_getBlocksByNumber', '0x1'), [])
  t.same(await ask('eth_getLogs', { fromBlock: '0x0' }), [])
  t.same(await ask('txpool_status'), { pending: 0, queued: 0 })
  t.equal(await ask('eth_getBalance', toHex(STRANGER.address), 'latest'), balance)
  t.equal(await ask('eth_getTransactionCount', toHex(COW.address), 'pending'), '0x0')
  t.match(await answer('eth_getBalance', toHex(COW.address), { blockHash: hash }), {
    error: { code: -32600 },
  })

  t.equal(await ask('eth_sendRawTransaction', transfer(0n)), sent, 'it can be sent again')
  await ask('evm_mine')
  t.match(await ask('eth_getTransactionReceipt', sent), { blockNumber: '0x1' })
})

t.test('the same block can be made again', async (t) => {
  const { ask, live } = await openDevNode(t)
  live.clock.milliseconds = 1_800_000_000_000
  await ask('evm_snapshot')
  await ask('evm_mine')
  const { hash } = await ask('eth_getBlockByNumber', 'latest', false)
  await ask('evm_revert', '0x1')
  await ask('evm_mine')
  t.equal((await ask('eth_getBlockByNumber', 'latest', false)).hash, hash)
  t.equal((await ask('eth_getBlockByHash', hash, false)).number, '0x1')
})

t.test('filters tell what was taken back', async (t) => {
  const { ask } = await openDevNode(t)
  await ask('evm_snapshot')
  const filter = await ask('eth_newFilter', { fromBlock: '0x0' })
  const creation = signedTransaction({
    nonce: 0n,
    to: Buffer.alloc(0),
    data: LOGGING_CODE,
    gasLimit: 90_000n,
    value: 0n,
  })
  await ask('eth_sendRawTransaction', toHex(creation.encoded))
  await ask('evm_mine')
  const [log] = await ask('eth_getFilterChanges', filter)
  t.equal(log.removed, false)
  await ask('evm_revert', '0x1')
  t.same(await ask('eth_getFilterChanges', filter), [{ ...log, removed: true }])
})

t.test('a chain with rewinds in its past is imported by a fresh node', async (t) => {
  const { ask, live } = await openDevNode(t)
  for (let nonce = 0n; nonce < 4n; nonce += 1n) {
    const id = await ask('evm_snapshot')
    await ask('eth_sendRawTransaction', transfer(nonce, 100n))
    await ask('evm_mine')
    await ask('evm_mine')
    await ask('evm_revert', id)
    await ask('eth_sendRawTransaction', transfer(nonce))
    await ask('evm_increaseTime', '0x64')
    await ask('evm_mine')
  }
  const { chain } = live.node.core.open
  const blocks = [...exportBlocks(chain.reader, { from: 1, to: 100 })].map(({ encoded }) => encoded)
  t.equal(blocks.length, 4)
  const path = join(t.testdir(), 'chain.rlp')
  writeFileSync(path, Buffer.concat(blocks))
  const fresh = openTestChain(t, { dataDir: join(t.testdirName, 'fresh') })
  await importBlocks({ path, spec: REGTEST, chain: fresh.chain, commitEvery: 1 })
  t.same(fresh.chain.head.hash, chain.head.hash)
})

t.test('malformed ids and times are refused in the words of the reference', async (t) => {
  const { answer } = await openDevNode(t)
  for (const id of ['zz', '', null, 1, '1', '0x', '-1']) {
    t.match(await answer('evm_revert', id), { error: { code: -32602, message: `invalid snapshot id ${id}` } })
  }
  for (const seconds of ['zz', '', '0x', '-0x1']) {
    const message = `invalid number of seconds ${seconds}`
    t.match(await answer('evm_increaseTime', seconds), { error: { code: -32602, message } })
  }
})

t.test('anvil_rollback rewinds by blocks, with the edits up to there, also on an old chain', async (t) => {
  const { ask, answer } = await openDevNode(t)
  const account = `0x${'5c'.repeat(20)}`
  const height = async () => Number(await ask('eth_blockNumber'))
  await ask('hardhat_mine', 460)
  await ask('hardhat_setBalance', account, '0x1')
  await ask('hardhat_mine', 2)
  const low = await ask('evm_snapshot')
  await ask('hardhat_setBalance', account, '0x2')
  await ask('hardhat_mine', 3)
  const high = await ask('evm_snapshot')
  const tip = (await ask('eth_getBlockByNumber', 'latest', false)).hash
  t.equal(await ask('anvil_rollback', 3), null)
  t.equal(await height(), 462)
  t.equal(await ask('eth_getBlockByHash', tip, false), null)
  t.equal(await ask('eth_getBalance', account, 'latest'), '0x2', 'the edit at that block stays')
  t.equal(await ask('anvil_rollback'), null)
  t.equal(await height(), 461)
  t.equal(await ask('eth_getBalance', account, 'latest'), '0x1')
  t.equal(await ask('evm_revert', high), false, 'a snapshot of a higher chain is forgotten')
  t.equal(await ask('evm_revert', low), false)
  await ask('evm_mine')
  t.equal(await height(), 462)
  t.equal(await ask('hardhat_rollback', '0x1ce'), null)
  t.equal(await height(), 0)
  t.match(await answer('anvil_rollback'), { error: { code: -32602, message: /the chain has 0 blocks/ } })
  t.match(await answer('anvil_rollback', 'x'), { error: { code: -32602 } })
})
