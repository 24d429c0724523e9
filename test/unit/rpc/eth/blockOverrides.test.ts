import t from 'tap'
import { openDevNode } from '../evm/devNode.ts'

const READER = `0x${'c0'.repeat(20)}`
const MINER = `0x${'5a'.repeat(20)}`
/** Returns NUMBER, TIMESTAMP, COINBASE, GASLIMIT and the hash of the block whose number is the call data. */
const READS = '0x43600052426020524160405245606052600035406080526101006000f3'
const OVERRIDES = { [READER]: { code: READS } }
const word = (value: number | bigint | string) => BigInt(value).toString(16).padStart(64, '0')

t.test('calls in overridden blocks, also past block 449 and on a rewound chain', async (t) => {
  const { answer, ask } = await openDevNode(t)
  const check = async (height: number) => {
    const read = async (asked: number, block: unknown, overrides?: object) => {
      const request = { to: READER, data: `0x${word(asked)}` }
      const params = [request, block, OVERRIDES, ...(overrides === undefined ? [] : [overrides])]
      const words = String(await ask('eth_call', ...params)).slice(2)
      const at = (index: number) => `0x${words.slice(64 * index, 64 * index + 64)}`
      return {
        number: BigInt(at(0)),
        time: BigInt(at(1)),
        miner: BigInt(at(2)),
        limit: BigInt(at(3)),
        hash: at(4),
      }
    }
    const hashOf = async (number: number) =>
      (await ask('eth_getBlockByNumber', `0x${number.toString(16)}`, false)).hash
    const quantity = (number: number) => `0x${number.toString(16)}`
    const none = `0x${'00'.repeat(32)}`
    const all = {
      number: quantity(height + 5),
      time: '0x7fffffff',
      gasLimit: '0x123456',
      feeRecipient: MINER,
    }
    t.match(await read(height, 'latest', all), {
      number: BigInt(height + 5),
      time: 0x7fffffffn,
      miner: BigInt(MINER),
      limit: 0x123456n,
      hash: await hashOf(height),
    })
    t.match(await read(height + 1, 'latest', all), { hash: none }, 'of a block that is overridden')
    const next = { number: quantity(height + 1) }
    t.match(await read(height, 'latest', next), { number: BigInt(height + 1), hash: await hashOf(height) })
    t.match(await read(height - 2, 'latest', next), { hash: await hashOf(height - 2) })
    const below = { number: quantity(height - 1) }
    t.match(await read(height - 2, 'latest', below), {
      number: BigInt(height - 1),
      hash: await hashOf(height - 2),
    })
    t.match(await read(height - 1, 'latest', below), { hash: none }, 'not below it')
    t.match(await read(0, 'latest', { number: '0x0' }), { number: 0n, hash: none }, 'nothing is below it')
    t.match(await read(0, 'latest', { number: '0x1' }), { number: 1n, hash: await hashOf(0) })
    t.match(await read(height, 'pending', { number: quantity(height + 9) }), { hash: await hashOf(height) })
    t.match(await read(height - 1, 'latest'), { number: BigInt(height), hash: await hashOf(height - 1) })
    const traced = await ask('debug_traceCall', { to: READER, data: '0x' }, 'latest', {
      tracer: 'callTracer',
      stateOverrides: OVERRIDES,
      blockOverrides: all,
    })
    t.equal(BigInt(`0x${traced.output.slice(2, 66)}`), BigInt(height + 5))
  }
  await ask('hardhat_mine', '0x6')
  await check(6)
  await ask('hardhat_mine', '0x1bf')
  await check(453)
  const mark = await ask('evm_snapshot')
  await ask('hardhat_mine', '0x2')
  await ask('evm_revert', mark)
  await check(453)
  const refused = async (overrides: unknown, message: RegExp) =>
    t.match(await answer('eth_call', { to: READER }, 'latest', {}, overrides), {
      error: { code: -32602, message },
    })
  await refused(5, /object expected/)
  await refused({ number: 'x' }, /hex/)
  await refused({ baseFeePerGas: '0x7' }, /baseFeePerGas/)
  await refused({ baseFeePerGas: 'x' }, /hex/)
  t.equal(await ask('eth_call', { to: READER }, 'latest', {}, null), '0x')
})

t.test('an estimate depends on the overridden block', async (t) => {
  const { answer, ask } = await openDevNode(t)
  await ask('evm_mine')
  // Loops for as many times as the number of the block.
  const loops = { [READER]: { code: '0x435b600190038060015700' } }
  const estimate = async (number: string) =>
    Number(await ask('eth_estimateGas', { to: READER }, 'latest', loops, { number }))
  t.ok((await estimate('0x400')) > (await estimate('0x10')) + 10_000)
  const { result } = await answer('eth_estimateGas', { to: MINER }, 'latest', {}, { number: '0x0' })
  t.equal(result, '0x5208')
})

t.test('the block may be left out, but on the hosted endpoint', async (t) => {
  const { ask } = await openDevNode(t)
  t.equal(await ask('eth_call', { to: READER }), '0x')
  t.equal(await ask('eth_getCode', READER), '0x')
  t.equal(await ask('eth_getStorageAt', READER, '0x0'), `0x${'00'.repeat(32)}`)
  const { answer } = await openDevNode(t, { profile: 'hosted' })
  for (const [method, params] of [
    ['eth_call', [{ to: READER }]],
    ['eth_getCode', [READER]],
  ] as const) {
    t.match(await answer(method, ...params), {
      error: { code: -32602, message: 'method parameters invalid' },
    })
  }
})
