import t from 'tap'
import { openDevNode } from './devNode.ts'

const PROGRAM = `0x${'cc'.repeat(20)}`
/** Answers with CALLER, CALLVALUE, GASPRICE and the call data. */
const ECHO = '0x335f52346020523a604052365f606037366060015ff3'

function word(value: bigint | string): string {
  return (typeof value === 'bigint' ? value.toString(16) : value.slice(2)).padStart(64, '0')
}

t.test('every part of a call reaches the program', async (t) => {
  const node = await openDevNode(t)
  await node.ask('hardhat_setCode', PROGRAM, ECHO)
  const from = `0x${'ab'.repeat(20)}`
  const value = 2n ** 200n + 7n
  const gasPrice = 2n ** 255n + 1n
  // The second is longer than the memory that calls are usually written to, the third short again.
  for (const data of ['0x01', `0x${'c5'.repeat(10_000)}`, '0x', `0x${'00'.repeat(4096)}ff`]) {
    const call = {
      from,
      to: PROGRAM,
      value: `0x${value.toString(16)}`,
      gasPrice: `0x${gasPrice.toString(16)}`,
      data,
    }
    const expected = `0x${word(from)}${word(value)}${word(gasPrice)}${data.slice(2)}`
    t.equal(await node.ask('eth_call', call, 'latest'), expected)
  }
  t.equal(
    await node.ask('eth_call', { to: PROGRAM }, 'latest'),
    `0x${word(0n)}${word(0n)}${word(0n)}`,
    'nothing is left of the call before',
  )
  const overridden = { [PROGRAM]: { code: '0x602a5f5260205ff3' } }
  t.equal(await node.ask('eth_call', { to: PROGRAM }, 'latest', overridden), `0x${word(42n)}`)
})

t.test('calls see the block and the state that they name', async (t) => {
  const node = await openDevNode(t)
  // Answers with NUMBER and a balance.
  await node.ask('hardhat_setCode', PROGRAM, '0x435f52333160205260405ff3')
  const from = `0x${'ad'.repeat(20)}`
  const read = (block: string) => node.ask('eth_call', { from, to: PROGRAM }, block)
  await node.ask('evm_mine')
  await node.ask('hardhat_setBalance', from, '0x5')
  t.equal(await read('latest'), `0x${word(1n)}${word(5n)}`)
  await node.ask('hardhat_setBalance', from, '0x6')
  t.equal(await read('latest'), `0x${word(1n)}${word(6n)}`, 'an edit of the same block')
  await node.ask('evm_mine')
  await node.ask('hardhat_setBalance', from, '0x7')
  t.equal(await read('latest'), `0x${word(2n)}${word(7n)}`)
  t.equal(await read('0x1'), `0x${word(1n)}${word(6n)}`)
  t.equal(await read('latest'), `0x${word(2n)}${word(7n)}`)
})
