import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { toHex } from '../../src/util/bytes.ts'
import { runCommand, startCommand } from '../support/cli.ts'
import { startNode } from '../support/nodeProcess.ts'
import { signedTransaction } from '../support/signedTransaction.ts'

t.test('a snapshot is made while blocks are imported, and does not stop them', async (t) => {
  const folder = t.testdir()
  const dataDir = join(folder, 'source')
  const args = ['--workers', '1', '--no-mining']
  const [node, other] = await Promise.all([
    startNode({ dataDir, args }),
    startNode({ dataDir: join(folder, 'other'), args }),
  ])
  t.teardown(() => Promise.all([node.stop('SIGKILL'), other.stop('SIGKILL')]))
  const head = async () => Number(await node.request<string>('eth_blockNumber'))
  let nonce = 0n
  /** The other node makes a block with a transfer, which the node imports. */
  const importNext = async () => {
    await other.request('eth_sendRawTransaction', [toHex(signedTransaction({ nonce, value: 1n }).encoded)])
    nonce += 1n
    await other.request('evm_mine')
    await node.request('evm_importRawBlock', [await other.request('debug_getRawBlock', ['latest'])])
  }
  for (let count = 0; count < 20; count += 1) await importNext()
  for (const [name, ...words] of [['head'], ['full', '--full']]) {
    const snapshot = join(folder, `snapshot-${name}`)
    const before = await head()
    const creation = startCommand([
      ...['snapshot', 'create', '--data-dir', dataDir, '--output', snapshot, '--depth', '0'],
      ...words,
    ])
    do {
      await importNext()
      // Where there are few processors the snapshot has its turn, too.
      await sleep(20)
    } while (creation.isRunning())
    const created = await creation.done
    t.equal(created.code, 0, created.stderr)
    const after = await head()
    t.ok(after > before, `blocks ${before} to ${after} came meanwhile`)
    const restored = join(folder, `restored-${name}`)
    const restore = await runCommand(['snapshot', 'restore', snapshot, '--unsigned', '--data-dir', restored])
    t.equal(restore.code, 0, restore.stderr)
    const copy = await startNode({ dataDir: restored, args })
    t.teardown(() => copy.stop('SIGKILL'))
    const block = await copy.request<{ number: string; hash: string }>('eth_getBlockByNumber', [
      'latest',
      true,
    ])
    t.ok(Number(block.number) >= before && Number(block.number) <= after, `of block ${Number(block.number)}`)
    t.same(block, await node.request('eth_getBlockByNumber', [block.number, true]))
    // It goes on with the blocks that came later.
    for (let number = Number(block.number) + 1; number <= after; number += 1) {
      const raw = await node.request('debug_getRawBlock', [`0x${number.toString(16)}`])
      await copy.request('evm_importRawBlock', [raw])
    }
    t.same(
      await copy.request('eth_getBlockByNumber', ['latest', true]),
      await node.request('eth_getBlockByNumber', [`0x${after.toString(16)}`, true]),
    )
    await copy.stop()
  }
})
