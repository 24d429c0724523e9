import t from 'tap'
import { readArtefact } from '../contracts/artefact.ts'
import { type NodeProcess, startNode } from '../support/nodeProcess.ts'
import { testFolder } from '../support/testFolder.ts'

const OWNER = `0x${'5a'.repeat(20)}`
const SPENDER = `0x${'5b'.repeat(20)}`
/** From 449 on blocks commit to their fork (RSKIP110). */
const OLD = 460

const word = (hex: string) => hex.replace('0x', '').padStart(64, '0')

/** A running node with an old chain and a token on it. */
async function startWithToken(
  dataDir: string,
): Promise<{ node: NodeProcess; token: string; created: string }> {
  const node = await startNode({ dataDir })
  await node.request('hardhat_mine', [OLD])
  const [from] = await node.request<string[]>('eth_accounts')
  const data = `${readArtefact('Token').bytecode}${word('64')}`
  const created = await node.request<string>('eth_sendTransaction', [
    { from, gas: '0x300000', gasPrice: '0x1', data },
  ])
  const { contractAddress: token } = await node.request<{ contractAddress: string }>(
    'eth_getTransactionReceipt',
    [created],
  )
  return { node, token, created }
}

const balanceOf = (node: NodeProcess, token: string, owner: string) =>
  node.request<string>('eth_call', [{ to: token, data: `0x70a08231${word(owner)}` }, 'latest'])

t.test('a running node gives tokens', async (t) => {
  const { node, token } = await startWithToken(testFolder(t))
  t.teardown(() => node.stop())
  await node.request('anvil_dealERC20', [OWNER, token, '0x5'])
  t.equal(await balanceOf(node, token, OWNER), `0x${word('5')}`, 'what is read next has it')
  await node.request('anvil_setERC20Allowance', [OWNER, SPENDER, token, '0x3'])
  const data = `0x23b872dd${word(OWNER)}${word(SPENDER)}${word('3')}`
  await node.request('hardhat_impersonateAccount', [SPENDER])
  await node.request('anvil_setBalance', [SPENDER, '0xde0b6b3a7640000'])
  const hash = await node.request('eth_sendTransaction', [
    { from: SPENDER, to: token, data, gas: '0x30000', gasPrice: '0x1' },
  ])
  t.match(await node.request('eth_getTransactionReceipt', [hash]), { status: '0x1' })
  t.equal(await balanceOf(node, token, SPENDER), `0x${word('3')}`)
})

t.test('a chain with edits moves from one running node to another, and outlives a restart', async (t) => {
  const { node, token, created } = await startWithToken(testFolder(t))
  t.teardown(() => node.stop())
  await node.request('anvil_dealERC20', [OWNER, token, '0x5'])
  await node.request('hardhat_mine', [3])
  await node.request('anvil_setBalance', [OWNER, '0x9'])
  const head = await node.request('eth_getBlockByNumber', ['latest', true])
  const dump = await node.request<string>('anvil_dumpState')

  const dataDir = testFolder(t)
  const other = await startNode({ dataDir })
  t.teardown(() => other.stop())
  await other.request('hardhat_mine', [2])
  t.equal(await other.request('anvil_loadState', [dump]), true)
  const expectChain = async (name: string, target: NodeProcess) => {
    t.same(await target.request('eth_getBlockByNumber', ['latest', true]), head, name)
    t.equal(await balanceOf(target, token, OWNER), `0x${word('5')}`, name)
    t.equal(await target.request('eth_getBalance', [OWNER, 'latest']), '0x9', name)
    t.match(await target.request('eth_getTransactionReceipt', [created]), { status: '0x1' }, name)
  }
  await expectChain('loaded', other)
  await other.stop()
  const again = await startNode({ dataDir })
  t.teardown(() => again.stop())
  await expectChain('started again', again)
  await again.request('evm_mine')
  t.equal(await again.request('eth_getBalance', [OWNER, 'latest']), '0x9', 'the chain goes on')
})

t.test('the page of Otterscan may ask, and may not change anything', async (t) => {
  const { node, token, created } = await startWithToken(testFolder(t))
  t.teardown(() => node.stop())
  const ask = async (method: string, ...params: readonly unknown[]) => {
    const response = await fetch(node.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'http://localhost:5100' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const body = (await response.json()) as { result?: unknown; error?: { code: number } }
    return { ...body, allowed: response.headers.get('access-control-allow-origin') }
  }
  const [from] = await node.request<string[]>('eth_accounts')
  t.match(await ask('ots_getApiLevel'), { result: 8, allowed: 'http://localhost:5100' })
  t.match(await ask('erigon_getHeaderByNumber', OLD), { result: { number: `0x${OLD.toString(16)}` } })
  t.match(await ask('ots_getContractCreator', token), { result: { hash: created, creator: from } })
  t.match(await ask('ots_searchTransactionsBefore', token, 0, 25), {
    result: {
      txs: [{ hash: created }],
      receipts: [{ transactionHash: created, status: '0x1' }],
      lastPage: true,
    },
  })
  t.match(await ask('ots_searchTransactionsAfter', from, 0, 25), { result: { txs: [{ hash: created }] } })
  t.match(await ask('ots_getTransactionBySenderAndNonce', from, 0), { result: created })
  for (const method of ['anvil_reorg', 'anvil_dealERC20', 'anvil_setERC20Allowance', 'anvil_loadState']) {
    t.match(await ask(method, 1, [], '0x'), { error: { code: -32601 } }, method)
  }
})
