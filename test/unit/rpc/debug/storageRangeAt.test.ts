import { keccak256 } from 'ethers'
import t from 'tap'
import { toHex } from '../../../../src/util/bytes.ts'
import { COW } from '../../../support/signedTransaction.ts'
import { openDevNode } from '../evm/devNode.ts'

const FROM = toHex(COW.address)
const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`
const START = `0x${'00'.repeat(32)}`
/** Stores at the slot of the first word of the data the second one. */
const STORES = '0x6009600c60003960096000f3602035600035556000'
const CODE = '60203560003555'

t.test('cells before each transaction of a block, also past block 449 and on a rewound chain', async (t) => {
  const { answer, ask } = await openDevNode(t)
  t.ok(STORES.includes(CODE))
  const send = (transaction: object) =>
    ask('eth_sendTransaction', { from: FROM, gas: '0x30d40', gasPrice: '0x1', ...transaction })
  await ask('evm_mine')
  const hash = await send({ data: STORES })
  await ask('evm_mine')
  const { contractAddress: contract } = await ask('eth_getTransactionReceipt', hash)
  const store = (slot: number, value: number) =>
    send({ to: contract, data: `${word(slot)}${word(value).slice(2)}` })
  const sorted = (cells: readonly (readonly [number, number])[]) =>
    Object.fromEntries(
      cells
        .map(([slot, value]): [string, object] => [
          keccak256(word(slot)),
          { key: word(slot), value: word(value) },
        ])
        .sort(([one], [other]) => (one < other ? -1 : 1)),
    )
  const check = async () => {
    for (let slot = 1; slot <= 5; slot++) await store(slot, slot * 11)
    await ask('evm_mine')
    await store(6, 66)
    await store(2, 0)
    await store(3, 7)
    await ask('evm_mine')
    const five = [1, 2, 3, 4, 5].map((slot) => [slot, slot * 11] as const)
    const range = async (index: number, start = START, most = 100) =>
      ask('debug_storageRangeAt', 'latest', index, contract, start, most)
    t.same(await range(0), { storage: sorted(five), nextKey: null })
    t.same(await range(1), { storage: sorted([...five, [6, 66]]), nextKey: null })
    const six = [...five, [6, 66] as const].filter(([slot]) => slot !== 2)
    t.same(await range(2), { storage: sorted(six), nextKey: null })
    const all = sorted(six.map(([slot, value]) => (slot === 3 ? [3, 7] : [slot, value])))
    t.same(await range(3), { storage: all, nextKey: null })
    const keys = Object.keys(all)
    const first = await range(3, START, 2)
    t.same(Object.keys(first.storage), keys.slice(0, 2))
    t.equal(first.nextKey, keys[2])
    t.same(Object.keys((await range(3, first.nextKey)).storage), keys.slice(2))
    for (const slot of [1, 2, 3, 4, 5, 6]) await store(slot, 0)
    await ask('evm_mine')
    t.same(await range(6), { storage: {}, nextKey: null })
  }
  await check()
  await ask('hardhat_mine', '0x1c3')
  const mark = await ask('evm_snapshot')
  await check()
  await ask('evm_revert', mark)
  await check()
  t.equal(await ask('debug_storageRangeAt', '0xffff', 0, contract, START, 1), null)
  t.same(await ask('debug_storageRangeAt', '0x0', 0, contract, '0x', 1), { storage: {}, nextKey: null })
  for (const params of [
    ['latest', 99, contract, START, 1],
    ['latest', 0, contract, `${START}00`, 1],
    ['latest', 0, contract, 'x', 1],
  ]) {
    t.match(await answer('debug_storageRangeAt', ...params), { error: { code: -32602 } })
  }
})
