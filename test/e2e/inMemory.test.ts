import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createNode } from '../../src/library/developmentNode.ts'
import { COW_ADDRESS } from '../support/accounts.ts'
import { runCommand } from '../support/cli.ts'
import { startNode } from '../support/nodeProcess.ts'
import { testFolder } from '../support/testFolder.ts'

const MEMORY = '/dev/shm'
/** Name of the folder that a process has mapped files of: other tests may have nodes in memory meanwhile. */
const folderOf = ({ pid }: { readonly pid: number }) =>
  /\/dev\/shm\/(rhizome-chain-[^/\n]+)/.exec(readFileSync(`/proc/${pid}/maps`, 'utf8'))?.[1] ?? ''

t.test('a chain in memory: it works, and nothing is left of it', { skip: !existsSync(MEMORY) }, async (t) => {
  const dataDir = join(testFolder(t), 'data')
  const node = await startNode({ dataDir, args: ['--in-memory'] })
  await node.untilPrinted('in memory, gone when the node stops')
  const hash = await node.request('eth_sendTransaction', [{ from: COW_ADDRESS, to: COW_ADDRESS }])
  t.match(await node.request('eth_getTransactionReceipt', [hash]), { blockNumber: '0x1' })
  const own = folderOf(node)
  t.ok(own)
  await node.stop()
  t.notOk(existsSync(join(MEMORY, own)))
  t.notOk(existsSync(dataDir), 'the data directory is not touched')

  t.comment(
    'one that was killed leaves its folder to the next one, which removes it; one that runs keeps its own',
  )
  const killed = await startNode({ dataDir, args: ['--in-memory'] })
  const left = folderOf(killed)
  await killed.stop('SIGKILL')
  t.ok(existsSync(join(MEMORY, left)))
  // A lock that was made within a second counts as one that is about to be taken.
  utimesSync(join(MEMORY, left, 'lock'), 1, 1)
  const next = await startNode({ dataDir, args: ['--in-memory'] })
  t.notOk(existsSync(join(MEMORY, left)))
  const other = await startNode({ dataDir, args: ['--in-memory'] })
  t.equal(await next.request('eth_blockNumber'), '0x0', 'a new chain each')
  await next.request('evm_mine')
  await other.stop()
  await next.request('evm_mine')
  t.equal(await next.request('eth_blockNumber'), '0x2')
  await next.stop()
})

t.test('a folder that nobody locked yet is left', { skip: !existsSync(MEMORY) }, async (t) => {
  const path = join(MEMORY, `rhizome-chain-${process.pid}`)
  mkdirSync(path)
  writeFileSync(join(path, 'mine'), '')
  const node = await createNode({ config: { inMemory: true } })
  await node.stop()
  t.ok(existsSync(join(path, 'mine')))
  rmSync(path, { recursive: true })
})

t.test('it is for development chains', async (t) => {
  const { code, stderr } = await runCommand([
    ...['start', '--network', 'testnet', '--in-memory', '--data-dir', join(testFolder(t), 'data')],
  ])
  t.equal(code, 2)
  t.match(stderr, '--in-memory is for development chains')
})
