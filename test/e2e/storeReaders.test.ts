import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { open } from 'lmdb'
import t from 'tap'
import { startNode } from '../support/nodeProcess.ts'
import { COW_ADDRESS } from './accounts.ts'
import { tokenCreation } from './tokenChain.ts'

/** More blocks than the store has places for readers. */
const BLOCKS = 150
const NO_MOMENT = '-'

t.test('no request keeps a moment of the store, whose space could not be used again then', async (t) => {
  const dataDir = t.testdir()
  const node = await startNode({ dataDir, args: ['--no-mining'] })
  t.teardown(() => node.stop())
  const store = open({ path: join(dataDir, 'chain'), readOnly: true, maxDbs: 64, noSubdir: false })
  t.teardown(() => store.close())
  /** Threads of the node that read, by the moment they hold. */
  const moments = () =>
    store
      .readerList()
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([pid, , moment]) => Number(pid) === node.pid && moment !== NO_MOMENT)
  const untilFree = async () => {
    while (moments().length > 0) await sleep(20)
  }
  await untilFree()
  await node.request('eth_sendRawTransaction', [`0x${tokenCreation().encoded.toString('hex')}`])
  const filter = await node.request('eth_newFilter', [{}])
  for (let count = 0; count < BLOCKS; count += 1) {
    await node.request('evm_mine')
    await Promise.all([
      node.request('eth_getLogs', [{ fromBlock: '0x0' }]),
      node.request('eth_getLogs', [{ fromBlock: '0x0', topics: [[`0x${'1'.repeat(64)}`]] }]),
      node.request('eth_getFilterChanges', [filter]),
      node.request('eth_getBalance', [COW_ADDRESS, 'latest']),
      node.request('eth_getBlockByNumber', ['latest', true]),
      node.request('eth_call', [{ to: COW_ADDRESS }, 'latest']),
      node.request('trace_block', ['latest']),
    ])
  }
  t.equal((await node.request<readonly unknown[]>('eth_getLogs', [{ fromBlock: '0x0' }])).length > 0, true)
  await untilFree()
  t.same(moments(), [])
})
