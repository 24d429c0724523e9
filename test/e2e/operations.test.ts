import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { Agent, request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import parsePrometheus from 'parse-prometheus-text-format'
import t from 'tap'
import { WebSocket } from 'ws'
import { toHex } from '../../src/util/bytes.ts'
import { freePort, startNode } from '../support/nodeProcess.ts'
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
  t.equal(value('rpc_requests_total', { method: 'evm_mine', from: 'method' }), 1)
  t.equal(value('rpc_errors_total', { method: 'unknown', code: '-32601' }), 1)
  t.equal(value('websocket_connections_count'), 1)
  t.equal(value('pool_threads_count', { pool: 'calls' }), 1)
  t.ok(value('store_map_used_bytes', { store: 'chain' }) > 0)
  t.ok(value('store_disk_bytes', { store: 'state' }) > 0)
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
  write('logLevel: info\nslowRequestTime: 1\nworkers: 2\nlaneReadPermits: 7\n')
  await hangUp('the configuration was read again')
  await node.untilPrinted('after a restart only')
  t.match(node.output(), /"applied":\[[^\]]*--lane-read-permits/)
  t.match(node.output(), /"afterRestart":\["--workers"\]/)
  t.match(await (await fetch(`${node.url}/metrics`)).text(), /lane_permits_count\{lane="read"\} 7$/m)
})

/** Asks over a connection of an agent. */
function ask(url: string, agent: Agent): Promise<unknown> {
  return new Promise((resolve, reject) => {
    httpRequest(url, { agent, method: 'POST' }, resolve).once('error', reject).end('{}')
  })
}
