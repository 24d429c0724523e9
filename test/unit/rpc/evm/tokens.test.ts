import t from 'tap'
import { readArtefact } from '../../../contracts/artefact.ts'
import { openDevNode } from './devNode.ts'

const OWNER = `0x${'5a'.repeat(20)}`
const SPENDER = `0x${'5b'.repeat(20)}`
const CONTRACT = `0x${'5c'.repeat(20)}`
const MAX_AMOUNT = 2n ** 256n - 1n
/** From 449 on blocks commit to their fork (RSKIP110). */
const OLD = 460

const word = (hex: string) => hex.replace('0x', '').padStart(64, '0')
const wordOf = (value: bigint) => `0x${word(value.toString(16))}`

async function openToken(t: Parameters<typeof openDevNode>[0]) {
  const node = await openDevNode(t)
  const { ask } = node
  await ask('hardhat_mine', OLD)
  const [from] = await ask('eth_accounts')
  const data = `${readArtefact('Token').bytecode}${word('64')}`
  const hash = await ask('eth_sendTransaction', { from, data, gas: '0x300000', gasPrice: '0x1' })
  await ask('evm_mine')
  const token: string = (await ask('eth_getTransactionReceipt', hash)).contractAddress
  const call = (to: string, input: string): Promise<string> => ask('eth_call', { to, data: input }, 'latest')
  return {
    ...node,
    token,
    balance: (of = OWNER, to = token) => call(to, `0x70a08231${word(of)}`),
    allowance: () => call(token, `0xdd62ed3e${word(OWNER)}${word(SPENDER)}`),
  }
}

t.test('balances and allowances of a token are set, on a chain that was rewound, too', async (t) => {
  const { ask, token, balance, allowance } = await openToken(t)
  const id = await ask('evm_snapshot')
  for (const round of [1, 2]) {
    for (const amount of [5n, 0n, 1n, MAX_AMOUNT]) {
      t.equal(await ask('anvil_dealERC20', OWNER, token, wordOf(amount)), null)
      t.equal(await balance(), wordOf(amount), `round ${round}`)
      t.equal(await ask('anvil_setERC20Allowance', OWNER, SPENDER, token, `0x${amount.toString(16)}`), null)
      t.equal(await allowance(), wordOf(amount))
    }
    t.equal(await ask('hardhat_dealERC20', SPENDER, token, '7'), null)
    t.equal(await ask('anvil_setERC20Balance', OWNER, token, 9), null)
    await ask('anvil_setBalance', OWNER, '0xde0b6b3a7640000')
    await ask('hardhat_impersonateAccount', OWNER)
    const data = `0xa9059cbb${word(SPENDER)}${word('4')}`
    const hash = await ask('eth_sendTransaction', {
      from: OWNER,
      to: token,
      data,
      gas: '0x30000',
      gasPrice: '0x1',
    })
    await ask('evm_mine')
    t.equal((await ask('eth_getTransactionReceipt', hash)).status, '0x1', 'it can be spent')
    t.same([await balance(), await balance(SPENDER)], [wordOf(5n), wordOf(11n)])
    t.equal(await ask('evm_revert', id), true)
    t.same([await balance(), await allowance()], [wordOf(0n), wordOf(0n)])
  }
})

t.test('a token behind a proxy, and one that keeps its balances elsewhere', async (t) => {
  const { ask, token, balance } = await openToken(t)
  const implementation = token.slice(2)
  await ask(
    'anvil_setCode',
    CONTRACT,
    `0x363d3d373d3d3d363d73${implementation}5af43d82803e903d91602b57fd5bf3`,
  )
  await ask('anvil_dealERC20', OWNER, CONTRACT, 5)
  t.equal(await balance(OWNER, CONTRACT), wordOf(5n))
  t.equal(await balance(), wordOf(0n), 'the cell is one of the proxy')
  await ask('anvil_setCode', CONTRACT, `0x36600060003760206000366000${`73${implementation}`}5afa5060206000f3`)
  t.equal(await balance(OWNER, CONTRACT), wordOf(0n))
  await ask('anvil_dealERC20', OWNER, CONTRACT, 6)
  t.equal(await balance(OWNER, CONTRACT), wordOf(6n))
  t.equal(await balance(), wordOf(6n), 'the cell is one of the token behind it')
})

t.test('the cell is one that the balance follows', async (t) => {
  const { ask, answer, balance } = await openToken(t)
  const noSlot = { error: { code: -32000, message: 'Unable to set ERC20 balance, no slot found' } }
  // Reads cell 0 and answers with cell 1.
  await ask('anvil_setCode', CONTRACT, '0x60005450600154600052' + '60206000f3')
  await ask('anvil_setStorageAt', CONTRACT, '0x1', wordOf(100n))
  await ask('anvil_dealERC20', OWNER, CONTRACT, 100)
  t.match(await ask('eth_getStorageAt', CONTRACT, '0x0', 'latest'), /^0x0*$/, 'which has the value already')
  await ask('anvil_dealERC20', OWNER, CONTRACT, 101)
  t.equal(await balance(OWNER, CONTRACT), wordOf(101n))
  // Answers with 42 whatever it reads.
  await ask('anvil_setCode', CONTRACT, '0x60005450602a60005260206000f3')
  t.match(await answer('anvil_dealERC20', OWNER, CONTRACT, 42), noSlot)
  t.match(await answer('anvil_dealERC20', OWNER, OWNER, 1), noSlot, 'there is no contract')
  t.match(
    await answer('anvil_dealERC20', OWNER, `0x${'0'.repeat(33)}1000006`, 1),
    noSlot,
    'the Bridge is none',
  )
  t.match(await answer('anvil_setERC20Allowance', OWNER, SPENDER, CONTRACT, 1), {
    error: { code: -32000, message: 'Unable to set ERC20 allowance, no slot found' },
  })
  for (const params of [
    [OWNER, CONTRACT],
    [OWNER, CONTRACT, `0x1${'0'.repeat(64)}`],
    ['x', CONTRACT, 1],
  ]) {
    t.match(await answer('anvil_dealERC20', ...params), { error: { code: -32602 } })
  }
})
