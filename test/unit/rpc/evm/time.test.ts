import t from 'tap'
import { toHex } from '../../../../src/util/bytes.ts'
import { signedTransaction } from '../../../support/signedTransaction.ts'
import { openDevNode } from './devNode.ts'

const NOW = 1_800_000_000

async function openAtNow(t: Parameters<typeof openDevNode>[0], config = {}) {
  const node = await openDevNode(t, config)
  node.live.clock.milliseconds = NOW * 1000
  const times = async (count: number) => {
    const head = Number(await node.ask('eth_blockNumber'))
    const found: number[] = []
    for (let number = head - count + 1; number <= head; number += 1) {
      const { timestamp } = await node.ask('eth_getBlockByNumber', `0x${number.toString(16)}`, false)
      found.push(Number(timestamp) - NOW)
    }
    return found
  }
  return { ...node, times }
}

t.test('seconds that are added move all blocks to come; the answer is the recorded one', async (t) => {
  const { ask, answer, times } = await openAtNow(t)
  t.equal(await ask('evm_increaseTime', '0xa'), '0xa')
  t.equal(await ask('evm_increaseTime', '10'), '0x14')
  t.equal(await ask('evm_increaseTime', 10), '0x1e')
  for (const negative of ['-1', -1, -100]) {
    t.match(await answer('evm_increaseTime', negative), { error: { code: -32602, message: /seconds -1/ } })
  }
  t.equal(await ask('evm_increaseTime', 0), '0x1e')
  await ask('evm_mine')
  t.equal(await ask('evm_increaseTime', '0xc8'), '0xc8')
  await ask('evm_mine')
  await ask('evm_mine')
  t.same(await times(3), [30, 230, 231])
})

t.test('seconds that are added count from the head when blocks have run ahead of the machine', async (t) => {
  const { ask, times } = await openAtNow(t)
  await ask('hardhat_mine', '0x1f4')
  t.same(await times(1), [499])
  t.equal(await ask('evm_increaseTime', 60), '0x3c')
  await ask('evm_mine')
  t.same(await times(1), [559])
  const id = await ask('evm_snapshot')
  await ask('evm_setNextBlockTimestamp', NOW + 9000)
  t.equal(await ask('evm_revert', id), true)
  await ask('evm_mine')
  t.same(await times(1), [560], 'the time that was set is gone with what came after the snapshot')
  await ask('evm_setNextBlockTimestamp', NOW + 9000)
  const set = await ask('evm_snapshot')
  await ask('evm_mine')
  await ask('evm_increaseTime', 100)
  t.equal(await ask('evm_revert', set), true)
  await ask('evm_mine')
  t.same(await times(1), [9000], 'and is there again where it was set before')
})

t.test('genesis has the time of the machine after it again', async (t) => {
  const { ask, times } = await openAtNow(t)
  await ask('evm_increaseTime', 5000)
  await ask('evm_mine')
  await ask('evm_setNextBlockTimestamp', NOW + 9000)
  await ask('evm_reset')
  await ask('evm_mine')
  t.same(await times(1), [0])
})

t.test('blocks at a time, in numbers and with a distance', async (t) => {
  const { ask, answer, times } = await openAtNow(t)
  await ask('evm_mine', NOW + 500)
  await ask('evm_mine', { timestamp: NOW + 600, blocks: 2 })
  t.same(await times(3), [500, 600, 601])
  await ask('evm_setNextBlockTimestamp', `0x${(NOW + 1000).toString(16)}`)
  t.equal(await ask('hardhat_mine', '0x3', '0x3c'), true)
  t.same(await times(3), [1000, 1060, 1120])
  t.match(await answer('evm_setNextBlockTimestamp', NOW), {
    error: { code: -32602, message: /is not after the parent's/ },
  })
  t.match(await answer('evm_mine', NOW), { error: { code: -32602, message: /is not after the parent's/ } })
  t.match(await answer('hardhat_mine', '0xffffff'), { error: { code: -32602 } })
})

t.test('instant mining is switched while the node runs', async (t) => {
  const { ask } = await openAtNow(t)
  const send = (nonce: bigint) => ask('eth_sendRawTransaction', toHex(signedTransaction({ nonce }).encoded))
  await send(0n)
  t.equal(await ask('eth_blockNumber'), '0x0')
  await ask('evm_setAutomine', true)
  t.equal(await ask('eth_blockNumber'), '0x1', 'what waited is mined')
  await send(1n)
  t.equal(await ask('eth_blockNumber'), '0x2')
  await ask('evm_setAutomine', false)
  await send(2n)
  t.equal(await ask('eth_blockNumber'), '0x2')
  t.same(await ask('txpool_status'), { pending: 1, queued: 0 })
})

t.test('intervals are set, stopped and gone on with while the node runs', async (t) => {
  const { ask, answer } = await openAtNow(t)
  const blocksAfter = async (number: number) => {
    while (Number(await ask('eth_blockNumber')) < number)
      await new Promise((resolve) => setTimeout(resolve, 5))
  }
  t.equal(await ask('eth_mining'), false)
  t.equal(await ask('anvil_getIntervalMining'), null)
  t.equal(await ask('evm_startMining'), null)
  t.equal(await ask('eth_mining'), false, 'there is no interval to go on with')
  t.equal(await ask('evm_setIntervalMining', 20), true)
  t.equal(await ask('anvil_getIntervalMining'), 0.02)
  t.equal(await ask('hardhat_getAutomine'), false)
  t.equal(await ask('eth_mining'), true)
  await blocksAfter(2)
  await ask('evm_stopMining')
  t.equal(await ask('anvil_getIntervalMining'), null)
  const stopped = await ask('eth_blockNumber')
  await ask('evm_stopMining')
  await new Promise((resolve) => setTimeout(resolve, 60))
  t.equal(await ask('eth_blockNumber'), stopped)
  await ask('evm_startMining')
  await blocksAfter(Number(stopped) + 1)
  await ask('evm_setAutomine', true)
  t.equal(await ask('anvil_getIntervalMining'), 0.02, 'one does not end the other')
  t.equal(await ask('anvil_getAutomine'), true)
  t.equal(await ask('anvil_setIntervalMining', 0), null)
  await ask('evm_startMining')
  t.equal(await ask('anvil_getIntervalMining'), null, 'an interval of none is not stopped, it is gone')
  await ask('anvil_setIntervalMining', 3600)
  t.equal(await ask('anvil_getIntervalMining'), 3600)
  for (const wrong of [86_400_001, '-1', 'x', null, [], [1], [2, 1], [1, 2, 3], [-1, 2], [0, 86_400_001]]) {
    t.match(await answer('evm_setIntervalMining', wrong), { error: { code: -32602 } }, JSON.stringify(wrong))
  }
})

t.test('intervals may be a range, of which each block has another one', async (t) => {
  const { ask } = await openAtNow(t)
  t.equal(await ask('evm_setIntervalMining', [5, 20]), true)
  t.same(await ask('anvil_getIntervalMining'), [0.005, 0.02])
  while (Number(await ask('eth_blockNumber')) < 4) await new Promise((resolve) => setTimeout(resolve, 5))
  await ask('evm_stopMining')
  t.equal(await ask('eth_mining'), false)
  const stopped = await ask('eth_blockNumber')
  await new Promise((resolve) => setTimeout(resolve, 60))
  t.equal(await ask('eth_blockNumber'), stopped)
  await ask('evm_startMining')
  t.same(await ask('anvil_getIntervalMining'), [0.005, 0.02], 'it goes on as it was')
  await ask('anvil_setIntervalMining', ['0x7', 9])
  t.same(await ask('anvil_getIntervalMining'), [7, 9])
  await ask('evm_setIntervalMining', [0, 0])
  t.equal(await ask('anvil_getIntervalMining'), null)
})

t.test('a node with the name of anvil counts seconds, as its clients do', async (t) => {
  for (const [clientName, seconds] of [
    ['anvil', 30],
    ['hardhat', 0.03],
    ['rhizome', 0.03],
  ] as const) {
    const { ask, answer } = await openAtNow(t, { clientName })
    t.equal(await ask('evm_setIntervalMining', 30), true)
    t.equal(await ask('anvil_getIntervalMining'), seconds, clientName)
    await ask('anvil_setIntervalMining', 0)
    const day = await answer('evm_setIntervalMining', 86_401)
    t.equal(day.error?.code, clientName === 'anvil' ? -32602 : undefined)
    await ask('evm_setIntervalMining', 0)
  }
})
