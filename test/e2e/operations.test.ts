import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { Agent, request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import parsePrometheus from 'parse-prometheus-text-format'
import t from 'tap'
import { WebSocket } from 'ws'
import { toHex } from '../../src/util/bytes.ts'
import { freePort, type JsonRpcError, startNode } from '../support/nodeProcess.ts'
import { signedTransaction } from '../support/signedTransaction.ts'

async function eventually(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(20)
}

t.test('metrics of a running node, read by a parser', async (t) => {
  const node = await startNode({ dataDir: join(t.testdir(), 'data'), args: ['--workers', '1'] })
  t.teardown(() => node.stop('SIGKILL'))
  await node.request('evm_mine')
  await t.rejects(node.request('no_method'))
  const socket = new WebSocket(node.url.replace('http', 'ws'))
  await once(socket, 'open')
  const families = new Map(
    parsePrometheus(await (await fetch(`${node.url}/metrics`)).text()).map((family) => [family.name, family]),
  )
  const value = (name: string, labels: Record<string, string> = {}) => {
    const found = families
      .get(`rhizome_${name}`)
      ?.metrics.find((sample) => Object.entries(labels).every(([key, text]) => sample.labels?.[key] === text))
    return Number(found?.value)
  }
  t.equal(value('chain_head_number'), 1)
  t.equal(value('chain_blocks_total'), 1)
  t.equal(value('rpc_requests_total', { method: 'evm_mine', from: 'handler' }), 1)
  t.equal(value('rpc_errors_total', { method: 'unknown', code: '-32601' }), 1)
  t.equal(value('websocket_connections_count'), 1)
  // A development chain starts it with the first long call.
  t.equal(value('worker_threads_count', { pool: 'calls' }), 0)
  t.equal(value('pool_threads_count', { pool: 'calls' }), 0, 'under its earlier name')
  t.ok(value('store_map_used_bytes', { store: 'chain' }) > 0)
  t.ok(value('store_disk_bytes', { store: 'state' }) > 0)
  t.equal(value('store_limit_bytes'), 262_144 * 2 ** 20)
  t.same(families.get('rhizome_tls_certificate_end_time_seconds')?.metrics, [], 'it has none')
  t.ok(value('process_cpu_seconds_total') > 0)
  t.equal(families.get('rhizome_rpc_request_seconds')?.type, 'HISTOGRAM')
  t.same(await (await fetch(`${node.url}/ready`)).json(), { ready: true, reasons: [] })
  socket.close()
})

t.test('SIGTERM: what was asked is answered, WebSockets are told, and nothing is lost', async (t) => {
  const dataDir = join(t.testdir(), 'data')
  const metricsPort = await freePort()
  const args = ['--workers', '1', '--drain-delay', '1', '--metrics-port', String(metricsPort)]
  const node = await startNode({ dataDir, args })
  t.teardown(() => node.stop('SIGKILL'))
  const socket = new WebSocket(node.url.replace('http', 'ws'))
  const closed = once(socket, 'close')
  await once(socket, 'open')
  t.equal((await fetch(`${node.url}/metrics`)).status, 404, 'not where everybody asks')
  const transaction = signedTransaction({ value: 5n })
  const sent = await node.request('eth_sendRawTransaction', [toHex(transaction.encoded)])
  const agent = new Agent({ keepAlive: true })
  const ended = node.stop('SIGTERM')
  const ready = async () => (await fetch(`http://127.0.0.1:${metricsPort}/ready`)).json()
  await eventually(async () => ((await ready()) as { ready: boolean }).ready === false)
  t.same(await ready(), { ready: false, reasons: ['the node stops'] })
  t.equal(await node.request('eth_blockNumber'), '0x1', 'during the delay requests are answered')
  t.equal((await closed)[0], 1001)
  await t.rejects(ask(node.url, agent), 'no further connections')
  t.match(await ended, { code: 0 })
  const again = await startNode({ dataDir, args: ['--workers', '1'] })
  t.teardown(() => again.stop('SIGKILL'))
  t.match(await again.request('eth_getTransactionReceipt', [sent]), { blockNumber: '0x1' })
  t.match(await again.stop(), { code: 0 })
})

t.test('a second signal ends the node at once', async (t) => {
  const dataDir = join(t.testdir(), 'data')
  const node = await startNode({ dataDir, args: ['--workers', '1', '--drain-delay', '600'] })
  t.teardown(() => node.stop('SIGKILL'))
  const first = node.stop('SIGTERM')
  await node.untilPrinted('the node stops')
  await node.stop('SIGTERM')
  t.match(await first, { code: null, signal: 'SIGTERM' })
  const again = await startNode({ dataDir, args: ['--workers', '1'] })
  t.teardown(() => again.stop('SIGKILL'))
  t.match(await again.stop(), { code: 0 })
})

t.test('SIGHUP: the file is read again, a wrong one is refused', async (t) => {
  const folder = t.testdir()
  const config = join(folder, 'rhizome.yaml')
  const write = (text: string) => writeFileSync(config, text)
  write('logLevel: info\nworkers: 1\n')
  const node = await startNode({ dataDir: join(folder, 'data'), args: ['--config', config] })
  t.teardown(() => node.stop('SIGKILL'))
  const hangUp = async (text: string) => {
    process.kill(node.pid, 'SIGHUP')
    await node.untilPrinted(text)
  }
  write('logLevel: nonsense\n')
  await hangUp('the configuration was refused')
  t.match(node.output(), /logLevel: expected one of/)
  write('logLevel: info\nslowRequestTime: 1\nworkers: 2\nlaneReadQueue: 7\n')
  await hangUp('the configuration was read again')
  await node.untilPrinted('after a restart only')
  t.match(node.output(), /"applied":\[[^\]]*--lane-read-queue/)
  t.match(node.output(), /"afterRestart":\["--workers"\]/)
  t.match(await (await fetch(`${node.url}/metrics`)).text(), /lane_queue_limit_count\{lane="read"\} 7$/m)
})

/** Asks over a connection of an agent. */
function ask(url: string, agent: Agent): Promise<unknown> {
  return new Promise((resolve, reject) => {
    httpRequest(url, { agent, method: 'POST' }, resolve).once('error', reject).end('{}')
  })
}

const MANY = '0x186a0'

/** The height, when it is that of a chain to which nothing is added any more. */
async function settledHeight(height: () => Promise<number>): Promise<number> {
  let last = await height()
  for (let same = 0; same < 10; ) {
    await sleep(50)
    const next = await height()
    same = next === last ? same + 1 : 0
    last = next
  }
  return last
}

t.test('many blocks are made beside everything else, and for nobody who is gone', async (t) => {
  const node = await startNode({ dataDir: join(t.testdir(), 'data'), args: ['--workers', '1'] })
  t.teardown(() => node.stop('SIGKILL'))
  const height = async () => Number(await node.request('eth_blockNumber'))
  const client = new AbortController()
  const mined = fetch(node.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'hardhat_mine', params: [MANY] }),
    signal: client.signal,
  })
  while ((await height()) < 460) await sleep(5)
  const transaction = signedTransaction({ value: 5n })
  const sent = await node.request('eth_sendRawTransaction', [toHex(transaction.encoded)])
  t.match(await node.request('eth_getTransactionReceipt', [sent]), { status: '0x1' }, 'mined among them')
  client.abort()
  await t.rejects(mined)
  t.ok((await settledHeight(height)) < Number(MANY))
})

t.test('SIGTERM ends a request for many blocks, which is told how many were made', async (t) => {
  const dataDir = join(t.testdir(), 'data')
  const node = await startNode({ dataDir, args: ['--workers', '1'] })
  t.teardown(() => node.stop('SIGKILL'))
  const failure = node.request('hardhat_mine', [MANY]).then(
    () => null,
    (error: unknown) => error as JsonRpcError,
  )
  while (Number(await node.request('eth_blockNumber')) < 3) await sleep(5)
  const ended = node.stop('SIGTERM')
  const error = await failure
  t.match(error, { code: -32005, message: /^the node stops: \d+ of 100000 blocks were made$/ })
  t.match(await ended, { code: 0, signal: null })
  const made = Number(/stops: (\d+) of/.exec(error?.message ?? '')?.[1])
  const again = await startNode({ dataDir, args: ['--workers', '1', '--no-mining'] })
  t.teardown(() => again.stop('SIGKILL'))
  t.equal(Number(await again.request('eth_blockNumber')), made, 'all of them lasted, and none more')
})
