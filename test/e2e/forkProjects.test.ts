import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { createNode } from '../../src/library/developmentNode.ts'
import { asking } from '../fork/upstreamChain.ts'
import { COW_ADDRESS, COW_KEY } from '../support/accounts.ts'
import { type NodeProcess, startNode } from '../support/nodeProcess.ts'
import { testFolder } from '../support/testFolder.ts'
import { hardhatForkTests, type Protocols, prepareUpstream } from './forkProjects.ts'
import { runHardhat, writeProject } from './hardhatRunner.ts'

/** The binary that the registry has for this machine: the script that starts it keeps failures to itself. */
const CAST = createRequire(import.meta.url).resolve(
  `@foundry-rs/cast-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}/bin/cast`,
)
const run = promisify(execFile)
const COIN = 10n ** 18n

/** A fork of a chain with protocols of lending and minting. */
async function openFork(t: Test): Promise<{ node: NodeProcess; protocols: Protocols }> {
  const upstream = await createNode({ process: 'child' })
  t.teardown(() => upstream.stop())
  const { protocols, head } = await prepareUpstream(asking(upstream.url))
  const folder = testFolder(t)
  const node = await startNode({
    dataDir: join(folder, 'fork'),
    args: ['--fork-url', upstream.url, '--fork-block', String(head), '--fork-cache', join(folder, 'answers')],
  })
  t.teardown(() => node.stop())
  return { node, protocols }
}

t.test('a Hardhat project borrows and mints on a fork', async (t) => {
  const { node, protocols } = await openFork(t)
  const project = join(testFolder(t), 'project')
  writeProject(project, node.url, ['Token', 'Loans', 'Stable'], hardhatForkTests(protocols))
  const { code, output } = await runHardhat(project, ['test', '--no-compile', '--network', 'rhizome'])
  t.equal(code, 0, output)
  t.match(output, /5 passing/)
})

t.test('cast of Foundry does the same', async (t) => {
  const { node, protocols } = await openFork(t)
  const { token, loans, stable, whale } = protocols
  const env = {
    ...process.env,
    HOME: testFolder(t),
    FOUNDRY_OFFLINE: 'true',
    ETH_RPC_URL: node.url,
    NODE_OPTIONS: '',
  }
  const cast = async (...args: string[]) => (await run(CAST, args, { env, maxBuffer: 2 ** 25 })).stdout.trim()
  const send = async (...args: string[]) => {
    const { status } = JSON.parse(await cast('send', '--legacy', '--json', ...args)) as { status: string }
    t.equal(status, '0x1', args.join(' '))
  }
  const read = async (to: string, signature: string, ...args: string[]) =>
    BigInt((await cast('call', to, signature, ...args)).split(' ')[0] ?? '')
  const asUser = ['--private-key', COW_KEY]
  await cast('rpc', 'anvil_impersonateAccount', whale)
  await cast('rpc', 'anvil_setBalance', whale, '0xde0b6b3a7640000')
  const asWhale = ['--unlocked', '--from', whale]
  await send(token, 'approve(address,uint256)', loans, String(1000n * COIN), ...asWhale)
  await send(loans, 'mint(address,uint256)', COW_ADDRESS, String(1000n * COIN), ...asWhale)
  t.equal(await read(loans, 'sharesOf(address)(uint256)', COW_ADDRESS), 1000n * COIN)
  const before = await read(token, 'balanceOf(address)(uint256)', COW_ADDRESS)
  await send(loans, 'borrow(uint256)', String(66n * COIN), '--value', '1ether', ...asUser)
  t.equal((await read(token, 'balanceOf(address)(uint256)', COW_ADDRESS)) - before, 66n * COIN)
  await t.rejects(
    cast('call', loans, 'borrow(uint256)', String(67n * COIN), '--value', '1ether', '--from', whale),
    /collateral insufficient/,
  )
  await send(stable, 'mintDoc(uint256)', String(COIN), '--value', '2ether', ...asUser)
  t.equal(await read(stable, 'balanceOf(address)(uint256)', COW_ADDRESS), 100n * COIN)
  await cast('rpc', 'anvil_dealERC20', whale, token, `0x${(3n * COIN).toString(16)}`)
  t.equal(await read(token, 'balanceOf(address)(uint256)', whale), 3n * COIN)
})
