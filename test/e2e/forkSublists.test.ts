import { join } from 'node:path'
import t from 'tap'
import { createNode } from '../../src/library/developmentNode.ts'
import { FaultyProxy } from '../fork/faultyProxy.ts'
import { asking } from '../fork/upstreamChain.ts'
import { testFolder } from '../support/testFolder.ts'

const ABSENT = `0x${'5a'.repeat(20)}`
const OTHER = (index: number) => `0x${(0xabc000 + index).toString(16).padStart(40, '0')}`
// Reads the cell 5 where it gets no data, else writes it.
const READS_OR_WRITES = '366009576005545000' + '5b600160055500'
// Keeps what follows: PUSH16 program, PUSH1 0, MSTORE, PUSH1 16, PUSH1 16, RETURN
const KEPT = `6f${READS_OR_WRITES}60005260106010f3`
// Asks for the balance of an account that nobody has: PUSH20, BALANCE, POP
const LOOKS = `7673${ABSENT.slice(2)}315060005260176009f3`

t.test('keys that a fork fetches, present or absent, count for the sublists of RSKIP144', async (t) => {
  const upstream = await createNode({ process: 'child' })
  t.teardown(() => upstream.stop())
  const askUpstream = asking(upstream.url)
  const accounts = await askUpstream<string[]>('eth_accounts')
  const deploy = async (data: string) => {
    const hash = await askUpstream('eth_sendTransaction', [{ from: accounts[0], data: `0x${data}` }])
    const receipt = await askUpstream<{ contractAddress: string }>('eth_getTransactionReceipt', [hash])
    return receipt.contractAddress
  }
  const withAbsentCell = await deploy(KEPT)
  const withCell = await deploy(`6009600555${KEPT}`)
  const looks = await deploy(LOOKS)
  const fork = async (isProven: boolean) => {
    const proxy = await FaultyProxy.open(upstream.url)
    t.teardown(() => proxy.close())
    // RSKj proves nothing.
    proxy.change = ({ method }, result) =>
      method === 'web3_clientVersion' && !isProven ? 'RskJ/9.0.1' : result
    const node = await createNode({
      fork: { url: proxy.url, block: 3 },
      config: { forkCache: join(testFolder(t), 'answers') },
    })
    t.teardown(() => node.stop())
    return asking(node.url)
  }
  const [proven, believed] = [await fork(true), await fork(false)]
  const sent = [
    { to: withAbsentCell },
    { to: withCell },
    { to: looks },
    { to: OTHER(1), value: '0x1' },
    { to: withAbsentCell, data: '0x01' },
    { to: withCell, data: '0x01' },
    { to: ABSENT, value: '0x1' },
    { to: OTHER(2), value: '0x1' },
  ]
  const mine = async (ask: ReturnType<typeof asking>) => {
    await ask('evm_setAutomine', [false])
    for (const [index, transaction] of sent.entries())
      await ask('eth_sendTransaction', [
        { from: accounts[index], gas: '0x20000', gasPrice: '0x1', ...transaction },
      ])
    await ask('evm_mine')
    const block = await ask<{ number: string; rskPteEdges: number[]; transactions: { to: string }[] }>(
      'eth_getBlockByNumber',
      ['latest', true],
    )
    return { ...block, to: block.transactions.map(({ to }) => to) }
  }
  const forked = [await mine(proven), await mine(believed)]
  const { rskPteEdges, to } = await mine(askUpstream)
  t.equal(rskPteEdges.length, 2)
  for (const block of forked) {
    t.same(block.rskPteEdges, rskPteEdges)
    t.same(block.to, to)
  }
})
