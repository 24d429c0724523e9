import { request } from 'node:http'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { BitcoinPool } from '../support/bitcoinPool.ts'
import { type NodeProcess, startNode } from '../support/nodeProcess.ts'
import {
  asciiHex,
  bytesOf,
  type PoolWork,
  type SubmitForm,
  type SubmitResult,
  submission,
} from '../support/poolNode.ts'
import { runInProcess } from '../support/program.ts'
import { createRandom } from '../support/random.ts'
import { signedTransaction } from '../support/signedTransaction.ts'
import { SocketClient } from '../support/socketClient.ts'

const FORMS: readonly SubmitForm[] = ['block', 'transactions', 'partialMerkle']
const pool = new BitcoinPool('/process/', createRandom(11))

async function openNode(t: Test, dataDir: string, args: readonly string[] = []): Promise<NodeProcess> {
  const node = await startNode({ dataDir, args: ['--no-mining', '--log-level', 'error', ...args] })
  t.teardown(() => node.stop('SIGKILL'))
  return node
}

async function solve(node: NodeProcess) {
  const work = await node.request<PoolWork>('mnr_getWork')
  return pool.mine(bytesOf(work.blockHashForMergedMining), BigInt(work.target), 4)
}

t.test('an accepted solution survives a kill right after its answer', async (t) => {
  const dataDir = join(t.testdir(), 'data')
  let last: SubmitResult | null = null
  for (let run = 0; run < 3; run += 1) {
    const node = await openNode(t, dataDir)
    if (last !== null) {
      t.equal(await node.request('eth_blockNumber'), last.blockIncludedHeight, `run ${run}`)
      t.match(await node.request('eth_getBlockByHash', [last.blockHash, true]), { hash: last.blockHash })
    }
    for (let count = 0; count <= run; count += 1) {
      const block = await solve(node)
      last = await node.request<SubmitResult>(...submission(FORMS[run % 3] ?? 'block', block))
      t.equal(last.blockImportedResult, asciiHex('IMPORTED_BEST'))
    }
    await node.stop('SIGKILL')
  }
  const check = await runInProcess(['check', '--data-dir', dataDir])
  t.equal(check.code, 0, check.stdout)
})

/** Posts bytes as a pool does; status and body of the answer. */
function post(url: string, body: string, headers: Record<string, string>) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    sent.on('error', reject).end(body)
  })
}

t.test('pools as they are', async (t) => {
  const node = await openNode(t, join(t.testdir(), 'data'))
  const ask = '{"jsonrpc":"2.0","id":"1","method":"mnr_getWork","params":[]}\n'
  const types = ['application/json', 'text/json', 'application/json-rpc; charset=utf-8', null]
  for (const type of types) {
    const headers = {
      authorization: 'Basic dXNlcjpwYXNz',
      ...(type === null ? {} : { 'content-type': type }),
    }
    const { status, text } = await post(node.url, ask, headers)
    t.equal(status, 200, String(type))
    t.match(JSON.parse(text), { id: '1', result: { target: `0x${'55'.repeat(32)}` } })
  }
  const block = await solve(node)
  const [method, params] = submission('partialMerkle', block)
  const both = [
    { jsonrpc: '2.0', id: 7, method: 'mnr_getWork', params: [] },
    { jsonrpc: '2.0', id: '8', method, params },
  ]
  const answers = await post(node.url, JSON.stringify(both), { 'content-type': 'application/json' })
  t.match(JSON.parse(answers.text), [{ id: 7 }, { id: '8', result: { blockIncludedHeight: '0x1' } }])
})

t.test('work is pushed before the head that it is built on', async (t) => {
  const node = await openNode(t, join(t.testdir(), 'data'))
  const socket = await SocketClient.open(Number(new URL(node.url).port))
  t.teardown(() => socket.socket.close())
  const works = await socket.subscribe('newWork')
  const heads = await socket.subscribe('newHeads')
  // The first work is built because somebody wants it now.
  await socket.untilNotifications(1)
  const seen: string[] = []
  for (let count = 0; count < 3; count += 1) {
    const { result } = await socket.ask(...askOf(submission('block', await solve(node))))
    seen.push((result as SubmitResult).blockHash)
  }
  await socket.untilNotifications(7)
  const order = socket.notifications.slice(1).map(({ subscription, result }) => {
    if (subscription === works) return `work ${(result as PoolWork).parentBlockHash}`
    return subscription === heads ? `head ${(result as { hash: string }).hash}` : 'other'
  })
  t.same(
    order,
    seen.flatMap((hash) => [`work ${hash}`, `head ${hash}`]),
  )
  const metrics = await (await fetch(`${node.url}/metrics`)).text()
  t.match(metrics, /^rhizome_mining_submissions_total\{result="imported_best"\} 3$/m)
  t.match(metrics, /^rhizome_mining_works_built_total [4-9]$/m)
  t.match(metrics, /^rhizome_mining_work_age_seconds_count 3$/m)
})

function askOf([method, params]: [string, string[]]): [string, ...string[]] {
  return [method, ...params]
}

t.test('rhizome mine', async (t) => {
  const node = await openNode(t, join(t.testdir(), 'data'))
  const args = ['mine', '--url', node.url, '--blocks', '5', '--threads', '2']
  const { code, stdout, stderr } = await runInProcess(args)
  t.equal(code, 0, stderr)
  t.equal(stdout.match(/^block 0x/gm)?.length, 5)
  t.equal(await node.request('eth_blockNumber'), '0x5')
  t.equal(await node.request('eth_hashrate'), '0x0', 'blocks of difficulty 1 take no hashes to speak of')
  const rate = `0x${'0'.repeat(60)}1f40`
  t.equal(await node.request('eth_submitHashrate', [rate, `0x${'01'.repeat(32)}`]), true)
  t.equal(await node.request('eth_submitHashrate', [rate, `0x${'02'.repeat(32)}`]), true)
  t.equal(await node.request('eth_hashrate'), '0x3e80', 'the sum of the reports')
  const unreachable = await runInProcess(['mine', '--url', 'ftp://nowhere'])
  t.equal(unreachable.code, 2)
})

t.test('the work of the same parent that pays more takes its place', async (t) => {
  const node = await openNode(t, join(t.testdir(), 'data'), ['--work-on-transactions'])
  const socket = await SocketClient.open(Number(new URL(node.url).port))
  t.teardown(() => socket.close())
  const heads = await socket.subscribe('newHeads')
  const poor = await solve(node)
  const transaction = signedTransaction()
  const sent = await node.request<string>('eth_sendRawTransaction', [
    `0x${transaction.encoded.toString('hex')}`,
  ])
  let work = await node.request<PoolWork>('mnr_getWork')
  while (Number(work.feesPaidToMiner) === 0) work = await node.request<PoolWork>('mnr_getWork')
  const rich = pool.mine(bytesOf(work.blockHashForMergedMining), BigInt(work.target), 4)
  const filter = await node.request<string>('eth_newBlockFilter')
  const results: SubmitResult[] = []
  for (const block of [poor, rich]) {
    results.push(await node.request<SubmitResult>(...submission('partialMerkle', block)))
    const receipt = await node.request<{ blockHash: string } | null>('eth_getTransactionReceipt', [sent])
    t.equal(receipt?.blockHash, block === rich ? results[1]?.blockHash : undefined)
  }
  t.same(
    results.map(({ blockImportedResult, blockIncludedHeight }) => [blockImportedResult, blockIncludedHeight]),
    [1, 2].map(() => [asciiHex('IMPORTED_BEST'), '0x1']),
  )
  const hashes = results.map(({ blockHash }) => blockHash)
  t.same(await node.request('eth_getFilterChanges', [filter]), hashes)
  await socket.untilNotifications(2)
  t.same(
    socket.notifications.map(({ subscription, result }) => [subscription, (result as { hash: string }).hash]),
    hashes.map((hash) => [heads, hash]),
  )
})
