import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type Abi, encodeFunctionData } from 'viem'
import { readArtefact } from '../contracts/artefact.ts'
import { COW_ADDRESS } from '../support/accounts.ts'
import { runCommand } from '../support/cli.ts'
import { startNode } from '../support/nodeProcess.ts'
import { testFolder } from '../support/testFolder.ts'

const GAS = 30_000_000
const { abi, bytecode } = readArtefact('Failures')

async function start(t: Test, dataDir: string, args: readonly string[]) {
  const node = await startNode({ dataDir, args: ['--workers', '1', ...args] })
  t.teardown(() => node.stop('SIGKILL'))
  const send = (transaction: object) =>
    node.request<string>('eth_sendTransaction', [{ from: COW_ADDRESS, ...transaction }])
  const receipt = (hash: string) => node.request<Record<string, string>>('eth_getTransactionReceipt', [hash])
  return { ...node, send, receipt }
}

t.test('one transaction may have the gas that was asked for, from the first block on', async (t) => {
  const dataDir = join(testFolder(t), 'data')
  const node = await start(t, dataDir, ['--transaction-gas', String(GAS)])
  const { contractAddress } = await node.receipt(
    await node.send({ data: bytecode, gas: `0x${GAS.toString(16)}` }),
  )
  const block = await node.request<{ gasLimit: string }>('eth_getBlockByNumber', ['latest', false])
  t.ok(Number(block.gasLimit) >= GAS, block.gasLimit)

  // Twenty million are more than any block of this network has room for.
  const data = encodeFunctionData({ abi: abi as Abi, functionName: 'exhaust' })
  const call = { from: COW_ADDRESS, to: contractAddress, data, gas: '0x1312d00' }
  const used = await node.receipt(await node.send(call))
  t.equal(used['status'], '0x0')
  t.equal(Number(used['gasUsed']), 20_000_000)
  await t.rejects(node.send({ ...call, gas: `0x${(GAS + 1).toString(16)}` }), /gas limit of 30000001/)

  await node.request('hardhat_mine', ['0x3'])
  await node.request('evm_setBlockGasLimit', ['0x2faf080'])
  await node.request('evm_mine')
  const next = await node.request<{ gasLimit: string }>('eth_getBlockByNumber', ['latest', false])
  t.equal(next.gasLimit, '0x2faf080', 'the limit of blocks needs no thousand of them')
  await node.stop()

  const file = join(testFolder(t), 'chain.rlp')
  const exported = await runCommand(['export', '--data-dir', dataDir, '--output', file])
  t.not(exported.code, 0)
  t.match(exported.stderr, /no other node would accept it/)

  const again = await start(t, dataDir, ['--transaction-gas', String(GAS)])
  await again.send(call)
  await again.request('evm_reset')
  await again.send({ data: bytecode, gas: `0x${GAS.toString(16)}` })
  const trace = await again.request<{ gasUsed: string }>('debug_traceBlockByNumber', [
    'latest',
    { tracer: 'callTracer' },
  ])
  t.ok(trace)
})

t.test('where the network gives as much, nothing is other than usual', async (t) => {
  const node = await start(t, join(testFolder(t), 'data'), ['--transaction-gas', '6800000'])
  await node.request('evm_mine')
  await node.request('anvil_dumpState')
  await t.rejects(node.send({ gas: '0x989680', to: COW_ADDRESS }), /gas limit of 10000000/)
})

t.test('it is for development chains', async (t) => {
  const dataDir = join(testFolder(t), 'data')
  const args = ['start', '--network', 'testnet', '--data-dir', dataDir, '--transaction-gas', '30000000']
  const ended = await runCommand(args)
  t.equal(ended.code, 2)
  t.match(ended.stderr, '--transaction-gas is for regtest and devnet')
})
