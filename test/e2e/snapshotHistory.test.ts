import { join } from 'node:path'
import t from 'tap'
import { openChain } from '../../src/execution/openChain.ts'
import { FolderSource } from '../../src/snapshot/folderSource.ts'
import { restoreSnapshot } from '../../src/snapshot/restoreSnapshot.ts'
import { type JsonRpcError, startNode } from '../support/nodeProcess.ts'
import { REGTEST } from '../support/openTestChain.ts'
import { importRecordedChain } from '../support/recordedDataDir.ts'
import { makeSnapshot } from '../support/snapshots.ts'

const NODE = ['--workers', '1', '--no-mining', '--modules', '*']
const HEAD = 66
const NOT_KEPT = 4444

t.test('what is older than the snapshot is said to be', async (t) => {
  const folder = t.testdir({ source: {} })
  const sourceDir = join(folder, 'source')
  await importRecordedChain(sourceDir)
  const { firstBlock, old, kept } = await restorePart(sourceDir, folder)
  const node = await startNode({ dataDir: join(folder, 'data'), args: NODE })
  t.teardown(() => node.stop('SIGKILL'))
  const error = (method: string, params: readonly unknown[]) =>
    node.request(method, params).then(
      (result) => ({ method, result }),
      (thrown: unknown) => thrown as JsonRpcError,
    )

  await t.test('blocks by their number', async (t) => {
    const below = hex(firstBlock - 1)
    const range = { fromBlock: below, toBlock: 'latest' }
    const reads: readonly (readonly [method: string, ...params: unknown[]])[] = [
      ['eth_getBlockByNumber', below, false],
      ['eth_getBlockByNumber', below, true],
      ['eth_getBlockByNumber', '0x1', false],
      ['eth_getBlockTransactionCountByNumber', below],
      ['eth_getTransactionByBlockNumberAndIndex', below, '0x0'],
      ['eth_getUncleCountByBlockNumber', below],
      ['eth_getUncleByBlockNumberAndIndex', below, '0x0'],
      ['eth_getBlockReceipts', below],
      ['eth_getBlocksByNumber', String(firstBlock - 1)],
      ['eth_getBalance', old.address, below],
      ['eth_call', { to: old.address }, below],
      ['eth_getLogs', range],
      ['eth_getLogs', { fromBlock: below, toBlock: below }],
      ['eth_newFilter', range],
      ['rsk_getRawBlockHeaderByNumber', below],
      ['debug_getRawBlock', below],
      ['debug_getRawHeader', below],
      ['debug_getRawReceipts', below],
      ['debug_traceBlockByNumber', below],
      ['trace_block', below],
      ['trace_filter', range],
    ]
    for (const [method, ...params] of reads) {
      const found = await error(method, params)
      t.match(
        found,
        {
          code: NOT_KEPT,
          message: /^pruned history unavailable: block \d+ is not kept, this node keeps blocks from 47$/,
        },
        `${method} ${JSON.stringify(params)}`,
      )
    }
  })

  await t.test('states of blocks that are there', async (t) => {
    for (const at of [hex(firstBlock), hex(HEAD - 1), { blockHash: kept.hash }, 'earliest']) {
      const reads: readonly (readonly [method: string, ...params: unknown[]])[] = [
        ['eth_getBalance', old.address, at],
        ['eth_getTransactionCount', old.address, at],
        ['eth_getCode', old.address, at],
        ['eth_getStorageAt', old.address, '0x0', at],
        ['eth_getProof', old.address, ['0x0'], at],
        ['eth_call', { to: old.address }, at],
        ['eth_estimateGas', { to: old.address }, at],
        ['eth_createAccessList', { to: old.address }, at],
        ['eth_simulateV1', { blockStateCalls: [{ calls: [{ to: old.address }] }] }, at],
        ['rsk_getStorageBytesAt', old.address, '0x0', at],
        ['debug_traceCall', { to: old.address }, at, {}],
        ['trace_call', { to: old.address }, ['trace'], at],
      ]
      for (const [method, ...params] of reads) {
        t.match(
          await error(method, params),
          {
            code: NOT_KEPT,
            message:
              /^pruned history unavailable: (the state of block \d+ is not kept, )?this node keeps states from block 66$/,
          },
          `${method} ${JSON.stringify(params)}`,
        )
      }
    }
    for (const [method, ...params] of [
      ['debug_traceTransaction', kept.transaction],
      ['debug_traceBlockByNumber', hex(HEAD)],
      ['debug_traceBlockByHash', kept.hash],
      ['trace_transaction', kept.transaction],
      ['trace_block', hex(HEAD)],
      ['trace_get', kept.transaction, ['0x0']],
      ['trace_filter', { fromBlock: hex(firstBlock), toBlock: hex(firstBlock + 1) }],
    ] as const) {
      t.match(
        await error(method, params),
        { code: NOT_KEPT, message: /the state of block \d+ is not kept|block 46 is not kept/ },
        `${method} ${JSON.stringify(params)}`,
      )
    }
  })

  await t.test('by their hash old blocks and transactions are not known', async (t) => {
    for (const [method, ...params] of [
      ['eth_getBlockByHash', old.hash, false],
      ['eth_getBlockTransactionCountByHash', old.hash],
      ['eth_getTransactionByBlockHashAndIndex', old.hash, '0x0'],
      ['eth_getTransactionByHash', old.transaction],
      ['eth_getTransactionReceipt', old.transaction],
      ['eth_getUncleByBlockHashAndIndex', old.hash, '0x0'],
      ['eth_getBlockReceipts', old.hash],
      ['rsk_getRawBlockHeaderByHash', old.hash],
    ] as const) {
      t.equal(await node.request(method, params), null, method)
    }
  })

  await t.test('genesis, the first block that is kept and the head are there', async (t) => {
    const number = async (at: string) =>
      (await node.request<{ number: string }>('eth_getBlockByNumber', [at, false])).number
    t.equal(await number('0x0'), '0x0')
    t.equal(await number('earliest'), hex(firstBlock))
    t.equal(await number(hex(firstBlock)), hex(firstBlock))
    t.equal(await number('latest'), hex(HEAD))
    for (const [fromBlock, toBlock] of [
      ['earliest', 'latest'],
      [hex(firstBlock), hex(HEAD)],
    ]) {
      t.ok(Array.isArray(await node.request('eth_getLogs', [{ fromBlock, toBlock }])))
    }
    t.equal(typeof (await node.request('eth_getBalance', [old.address, hex(HEAD)])), 'string')
  })
})

/** Restores the state of the head with the newest twenty blocks, and picks what is asked for. */
async function restorePart(sourceDir: string, folder: string) {
  const snapshot = join(folder, 'snapshot')
  await makeSnapshot({ spec: REGTEST, dataDir: sourceDir, folder: snapshot, blocks: 20, leastBlocks: 1 })
  const source = new FolderSource(snapshot)
  const dataDir = join(folder, 'data')
  await restoreSnapshot({ spec: REGTEST, dataDir, source, trust: { kind: 'anyone' } })
  const { chain, close } = openChain({ spec: REGTEST, dataDir: sourceDir })
  const at = (number: number) => {
    const hash = chain.reader.hashByNumber(number)
    const block = hash === null ? null : chain.reader.blockByHash(hash)
    if (block === null) throw new Error(`no block ${number}`)
    const [transaction] = block.transactions
    return {
      hash: `0x${block.hashHex}`,
      transaction: `0x${transaction?.hash.toString('hex')}`,
      address: `0x${transaction?.fields.to?.toString('hex') ?? '00'.repeat(20)}`,
    }
  }
  const firstBlock = HEAD - 19
  const found = { firstBlock, old: at(30), kept: at(firstBlock + 1) }
  await close()
  return found
}

function hex(number: number): string {
  return `0x${number.toString(16)}`
}
