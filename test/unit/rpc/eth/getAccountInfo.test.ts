import t from 'tap'
import { openDevNode } from '../evm/devNode.ts'

const ACCOUNT = `0x${'5d'.repeat(20)}`
const COW = '0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826'

t.test('eth_getAccountInfo answers what the three methods answer, at any block', async (t) => {
  const { ask, answer } = await openDevNode(t)
  await ask('hardhat_setCode', ACCOUNT, '0x6001')
  await ask('hardhat_setNonce', ACCOUNT, '0x7')
  await ask('hardhat_setBalance', ACCOUNT, '0xff')
  await ask('hardhat_mine', 3)
  for (const account of [ACCOUNT, COW, `0x${'5e'.repeat(20)}`]) {
    for (const block of ['latest', '0x1', 'earliest']) {
      const expected = {
        balance: await ask('eth_getBalance', account, block),
        nonce: await ask('eth_getTransactionCount', account, block),
        code: await ask('eth_getCode', account, block),
      }
      t.same(await ask('eth_getAccountInfo', account, block), expected, `${account} at ${block}`)
    }
  }
  t.match(await ask('eth_getAccountInfo', ACCOUNT), { balance: '0xff', nonce: '0x7', code: '0x6001' })
  for (const params of [[ACCOUNT, '0x99'], ['0x12'], []]) {
    t.same(
      (await answer('eth_getAccountInfo', ...params)).error,
      (await answer('eth_getBalance', ...params)).error,
    )
  }
})
