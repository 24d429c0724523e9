import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { fillDefaults } from '../../../src/config/load.ts'
import type { PartialConfig } from '../../../src/config/schema.ts'
import { createNode, type RunningNode } from '../../../src/node/createNode.ts'
import { createLogger } from '../../../src/observe/logger.ts'
import { toHex } from '../../../src/util/bytes.ts'
import { askNode } from '../../support/nodeProcess.ts'
import { COW, signedTransaction } from '../../support/signedTransaction.ts'

async function startNode(t: Test, given: PartialConfig): Promise<RunningNode & { url: string }> {
  const config = fillDefaults({ network: 'regtest', httpPort: 0, workers: 1, logLevel: 'silent', ...given })
  const logger = createLogger({ level: 'silent', format: 'json' })
  const node = await createNode({ config, version: 'test', logger })
  let stopped: Promise<void> | null = null
  const stop = () => {
    stopped ??= node.stop()
    return stopped
  }
  t.teardown(stop)
  return { ...node, stop, url: `http://127.0.0.1:${node.port}` }
}

t.test('a node in its threads', async (t) => {
  const dataDir = join(t.testdir(), 'data')
  const transaction = signedTransaction({ value: 5n })
  await t.test('mines what it is sent and answers about it at once', async (t) => {
    const node = await startNode(t, { dataDir })
    const ask = <T>(method: string, ...params: unknown[]) => askNode<T>(node.url, method, params)
    t.equal(await ask('eth_blockNumber'), '0x0')
    t.equal(await ask('eth_sendRawTransaction', toHex(transaction.encoded)), toHex(transaction.hash))
    t.equal(await ask('eth_blockNumber'), '0x1')
    t.match(await ask('eth_getTransactionReceipt', toHex(transaction.hash)), {
      status: '0x1',
      blockNumber: '0x1',
    })
    t.equal(await ask('eth_getTransactionCount', toHex(COW.address), 'pending'), '0x1')
    await ask('evm_mine')
    t.equal(await ask('eth_blockNumber'), '0x2')
    const call = { to: toHex(Buffer.from('04'.padStart(40, '0'), 'hex')), data: '0x1234' }
    t.equal(await ask('eth_call', call, 'pending'), '0x1234')
    // In the front thread, and in a worker after the front thread has tried and after it has learnt.
    const [brief, long] = ['c0', 'c1'].map((byte) => toHex(Buffer.from(byte.repeat(20), 'hex')))
    await ask('hardhat_setCode', brief, '0x602a5f5260205ff3')
    // Counts down from 65,535, then answers with 43.
    await ask('hardhat_setCode', long, '0x61ffff5b600190038060035750602b5f5260205ff3')
    const word = (number: number) => `0x${number.toString(16).padStart(64, '0')}`
    for (let i = 0; i < 3; i++) {
      t.equal(await ask('eth_call', { to: brief }, 'latest'), word(42))
      t.equal(await ask('eth_call', { to: long }, 'latest'), word(43))
    }
    t.equal(await ask('eth_estimateGas', { to: toHex(COW.address) }), '0x5208')
    await t.rejects(ask('eth_sendRawTransaction', toHex(transaction.encoded)), {
      code: -32010,
      message: 'transaction nonce too low',
    })
    const health = await fetch(`${node.url}/health`)
    t.equal(health.status, 200)
    t.match(await health.json(), { alive: true })
    const metrics = await (await fetch(`${node.url}/metrics`)).text()
    t.match(metrics, /^rhizome_chain_head_number 2$/m)
    t.match(metrics, /^rhizome_chain_blocks_total 2$/m)
  })
  await t.test('has everything again after a restart', async (t) => {
    const node = await startNode(t, { dataDir, mining: false })
    t.equal(node.head, 2)
    t.equal(node.balanceOf(COW.address), 10n ** 30n - 5n - 21_000n)
    const waiting = signedTransaction({ nonce: 1n })
    const ask = <T>(method: string, ...params: unknown[]) => askNode<T>(node.url, method, params)
    await ask('eth_sendRawTransaction', toHex(waiting.encoded))
    t.equal(await ask('eth_blockNumber'), '0x2')
    t.match(await ask('eth_getTransactionByHash', toHex(waiting.hash)), { blockNumber: null })
    await t.rejects(startNode(t, { dataDir }), { code: 'DATA_DIR_LOCKED', message: /--data-dir/ })
  })
  await t.test('takes the pool back', async (t) => {
    const node = await startNode(t, { dataDir })
    t.equal(node.restored, 1)
    await t.rejects(startNode(t, { dataDir: join(dataDir, '..', 'other'), httpPort: node.port }), {
      code: 'LISTEN_FAILED',
    })
  })
  await t.test('does not use the directory of another network', async (t) => {
    await t.rejects(startNode(t, { dataDir, network: 'devnet' }), { code: 'DATA_DIR_NETWORK' })
    const file = join(dataDir, '..', 'file')
    writeFileSync(file, '')
    await t.rejects(startNode(t, { dataDir: file }), { code: 'DATA_DIR_UNUSABLE' })
  })
})
