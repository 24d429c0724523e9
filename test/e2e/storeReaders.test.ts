import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { open } from 'lmdb'
import t, { type Test } from 'tap'
import { COW_ADDRESS } from '../support/accounts.ts'
import { type NodeProcess, startNode } from '../support/nodeProcess.ts'
import { signedTransaction } from '../support/signedTransaction.ts'
import { tokenCreation } from './tokenChain.ts'

/** More blocks than the store has places for readers. */
const BLOCKS = 150
const NO_MOMENT = '-'

/** Blocks full of logs: their text is more than sockets take before it is read. */
const LOG_BLOCKS = 4
/** Runs as the code of a creation: 2,400 logs of 32 bytes, each in a turn of a loop. */
const MANY_LOGS = Buffer.from('6109605b60206000a06001900380600357', 'hex')
const MANY_LOGS_GAS = 2_000_000n

/** Threads of the node that read, by the moment they hold. */
function watchMoments(t: Test, node: NodeProcess, dataDir: string): () => string[][] {
  const store = open({ path: join(dataDir, 'chain'), readOnly: true, maxDbs: 64, noSubdir: false })
  t.teardown(() => store.close())
  return () =>
    store
      .readerList()
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([pid, , moment]) => Number(pid) === node.pid && moment !== NO_MOMENT)
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(20)
}

t.test('no request keeps a moment of the store, whose space could not be used again then', async (t) => {
  const dataDir = t.testdir()
  const node = await startNode({ dataDir, args: ['--no-mining'] })
  t.teardown(() => node.stop())
  const moments = watchMoments(t, node, dataDir)
  await until(() => moments().length === 0)
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
  await until(() => moments().length === 0)
  t.same(moments(), [])
})

t.test('a client that does not read its answer keeps no moment of the store', async (t) => {
  const dataDir = t.testdir()
  const node = await startNode({ dataDir, args: ['--no-mining'] })
  t.teardown(() => node.stop())
  const moments = watchMoments(t, node, dataDir)
  for (let nonce = 0n; nonce < LOG_BLOCKS; nonce += 1n) {
    const { encoded } = signedTransaction({
      nonce,
      to: Buffer.alloc(0),
      value: 0n,
      data: MANY_LOGS,
      gasLimit: MANY_LOGS_GAS,
    })
    await node.request('eth_sendRawTransaction', [`0x${encoded.toString('hex')}`])
    await node.request('evm_mine')
  }
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'eth_getLogs',
    params: [{ fromBlock: '0x0' }],
  })
  const stalled = connect({ port: Number(new URL(node.url).port), host: '127.0.0.1' })
  t.teardown(() => stalled.destroy())
  const head = [
    'POST / HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ]
  stalled.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  await once(stalled, 'readable')
  await until(() => moments().length === 0)
  await node.request('evm_mine')
  await until(() => moments().length === 0)
  let text = ''
  stalled.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  stalled.resume()
  await until(() => text.endsWith('\r\n0\r\n\r\n'))
  t.equal(text.match(/"logIndex"/g)?.length, LOG_BLOCKS * 2400, 'it gets all of it when it reads again')
})
