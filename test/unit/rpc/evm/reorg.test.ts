import t from 'tap'
import { toHex } from '../../../../src/util/bytes.ts'
import { COW, STRANGER, signedTransaction } from '../../../support/signedTransaction.ts'
import { openDevNode } from './devNode.ts'

const NOBODY = `0x${'5a'.repeat(20)}`
const ELSEWHERE = `0x${'5b'.repeat(20)}`
const GWEI = '0x3b9aca00'
/** From 449 on blocks commit to their fork (RSKIP110). */
const OLD = 460
/** Emits an empty log when it is created. */
const LOGGING_CODE = '0x60006000a0'

const raw = (nonce: bigint, value = 5n) => toHex(signedTransaction({ nonce, value }).encoded)

t.test(
  'as many blocks take the place of the newest ones, with the transactions that were given',
  async (t) => {
    const { ask } = await openDevNode(t)
    await ask('hardhat_mine', OLD)
    const height = `0x${(OLD + 3).toString(16)}`
    const block = (number: number) => ask('eth_getBlockByNumber', `0x${number.toString(16)}`, false)
    for (const round of [1, 2]) {
      await ask('hardhat_mine', round === 1 ? 3 : 0)
      const before = await Promise.all([block(OLD), block(OLD + 1), block(OLD + 3)])
      const [from] = (await ask('eth_accounts')) as string[]
      const pairs = [
        [{ from, to: ELSEWHERE, value: '0x7', gas: '0x5208' }, 2],
        [{ from, to: NOBODY, value: 9, gas: '0x5208' }, 0],
        [{ to: NOBODY, value: '0x1', gas: '0x5208' }, 0],
      ]
      t.equal(await ask('anvil_reorg', 3, pairs), null)
      t.equal(await ask('eth_blockNumber'), height, `round ${round}`)
      const after = await Promise.all([block(OLD), block(OLD + 1), block(OLD + 3)])
      t.equal(after[0].hash, before[0].hash, 'the common ancestor')
      t.not(after[1].hash, before[1].hash)
      t.not(after[2].hash, before[2].hash)
      t.equal(await ask('eth_getBlockByHash', before[2].hash, false), null)
      const counts = [1, 2, 3].map((i) =>
        ask('eth_getBlockTransactionCountByNumber', `0x${(OLD + i).toString(16)}`),
      )
      // Each block has its reward transaction.
      t.same(await Promise.all(counts), ['0x3', '0x1', '0x2'])
      t.equal(await ask('eth_getTransactionCount', from, 'latest'), '0x3')
      t.equal(await ask('eth_getBalance', NOBODY, 'latest'), '0xa')
      t.equal(await ask('eth_getBalance', ELSEWHERE, 'latest'), '0x7')
    }
    await ask('evm_mine')
    t.equal(await ask('eth_blockNumber'), `0x${(OLD + 4).toString(16)}`, 'the chain goes on')
  },
)

t.test('what stood in the blocks is gone, the pool stays, and filters tell both', async (t) => {
  const { ask, live } = await openDevNode(t)
  live.clock.milliseconds = 1_800_000_000_000
  await ask('hardhat_mine', OLD)
  const blocks = await ask('eth_newBlockFilter')
  const logs = await ask('eth_newFilter', { fromBlock: 'latest' })
  // The first one sends what waits.
  const [, from] = (await ask('eth_accounts')) as string[]
  const hash = await ask('eth_sendTransaction', { from, data: LOGGING_CODE, gas: '0x15f90', gasPrice: '0x1' })
  await ask('evm_mine')
  const { contractAddress } = await ask('eth_getTransactionReceipt', hash)
  // The reward transaction of an old chain has logs, too.
  const changes = async () =>
    (await ask('eth_getFilterChanges', logs)).filter(
      ({ address }: { address: string }) => address === contractAddress,
    )
  const [log] = await changes()
  t.equal((await ask('eth_getFilterChanges', blocks)).length, 1)
  const waiting = await ask('eth_sendRawTransaction', raw(0n))
  t.equal(await ask('anvil_reorg', 1, []), null)
  t.equal(await ask('eth_getTransactionReceipt', hash), null)
  t.equal(await ask('eth_getTransactionByHash', hash), null)
  t.same(await changes(), [{ ...log, removed: true }])
  const { hash: head } = await ask('eth_getBlockByNumber', 'latest', false)
  t.same(await ask('eth_getFilterChanges', blocks), [head])
  t.same(await ask('txpool_status'), { pending: 1, queued: 0 })
  t.equal((await ask('eth_getTransactionByHash', waiting)).blockNumber, null, 'it waits still')

  await ask('anvil_reorg', 1, [[{ from, data: LOGGING_CODE, gas: '0x15f90', gasPrice: '0x1' }, 0]])
  const [again] = await changes()
  t.match(again, { removed: false, transactionHash: hash })
  t.not(again.blockHash, log.blockHash)
  await ask('evm_mine')
  t.ok(await ask('eth_getTransactionReceipt', waiting))
})

t.test('signed and impersonated transactions; what does not fit is left out', async (t) => {
  const { ask, answer } = await openDevNode(t)
  await ask('hardhat_mine', OLD)
  await ask('anvil_setBalance', NOBODY, '0xde0b6b3a7640000')
  await ask('hardhat_mine', 2)
  const mark = await ask('evm_snapshot')
  const call = { from: NOBODY, to: ELSEWHERE, value: '0x5', gas: '0x5208', gasPrice: GWEI }
  t.match(await answer('anvil_reorg', 2, [[call, 0]]), {
    error: { code: -32602, message: 'Account not found' },
  })
  await ask('hardhat_impersonateAccount', NOBODY)
  const pairs = [
    [raw(0n), 1],
    [raw(7n), 1],
    [call, 1],
    [{ ...call, value: '0x6' }, 1],
  ]
  await ask('anvil_reorg', 2, pairs)
  t.equal(
    await ask('eth_getTransactionCount', toHex(COW.address), 'latest'),
    '0x1',
    'the other one is from the future',
  )
  t.equal(await ask('eth_getBalance', toHex(STRANGER.address), 'latest'), '0x5')
  t.equal(await ask('eth_getBalance', ELSEWHERE, 'latest'), '0xb')
  t.equal(await ask('evm_revert', mark), false, 'the snapshot was of a chain that is gone')
  await ask('anvil_reorg', 1, [])
  t.equal(await ask('eth_getBalance', ELSEWHERE, 'latest'), '0x0')
  t.equal(await ask('eth_getBalance', NOBODY, 'latest'), '0xde0b6b3a7640000', 'edits below stay')
  await ask('anvil_setBalance', ELSEWHERE, '0x9')
  await ask('anvil_reorg', 1)
  t.equal(await ask('eth_getBalance', ELSEWHERE, 'latest'), '0x0', 'edits of a block go with it')
})

t.test('what cannot be changes nothing', async (t) => {
  const { ask, answer } = await openDevNode(t)
  await ask('hardhat_mine', 4)
  const { hash } = await ask('eth_getBlockByNumber', 'latest', false)
  const to = ELSEWHERE
  for (const params of [
    [5, []],
    [2, [[{ to }, 2]]],
    [2, [[{ to }]]],
    [2, [[7, 0]]],
    [2, [{ to }]],
    [2, 'x'],
    [2, [['0x00', 0]]],
    [2, [[{ to, chainId: '0x1' }, 0]]],
    ['x', []],
    [],
  ]) {
    t.match(await answer('anvil_reorg', ...params), { error: { code: -32602 } }, JSON.stringify(params))
  }
  t.equal(await ask('anvil_reorg', 0, []), null)
  t.equal((await ask('eth_getBlockByNumber', 'latest', false)).hash, hash)
})

t.test('what waits for a transaction that left waits for it again', async (t) => {
  const { ask } = await openDevNode(t)
  await ask('hardhat_mine', OLD)
  await ask('eth_sendRawTransaction', raw(0n))
  await ask('evm_mine')
  const second = await ask('eth_sendRawTransaction', raw(1n))
  t.same(await ask('txpool_status'), { pending: 1, queued: 0 })
  await ask('anvil_reorg', 1, [])
  t.same(await ask('txpool_status'), { pending: 0, queued: 1 })
  await ask('anvil_reorg', 1, [[raw(0n), 0]])
  t.same(await ask('txpool_status'), { pending: 1, queued: 0 })
  await ask('evm_mine')
  t.equal((await ask('eth_getTransactionReceipt', second)).status, '0x1')
})

t.test('with a block for every transaction no others come in between', async (t) => {
  const { ask } = await openDevNode(t)
  await ask('hardhat_mine', OLD)
  await ask('evm_setAutomine', true)
  const [, from] = (await ask('eth_accounts')) as string[]
  const sent = await ask('eth_sendTransaction', { from, to: NOBODY, value: '0x1', gas: '0x5208' })
  t.ok(await ask('eth_getTransactionReceipt', sent))
  await ask('anvil_reorg', 1, [])
  t.equal(await ask('eth_blockNumber'), `0x${(OLD + 1).toString(16)}`)
  t.equal(await ask('eth_getTransactionReceipt', sent), null, 'it is not mined again')
  t.same(await ask('txpool_status'), { pending: 0, queued: 0 })
})
