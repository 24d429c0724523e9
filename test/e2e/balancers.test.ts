import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { missingProgram, startProgram } from '../support/installedPrograms.ts'
import { freePort, type NodeProcess, startNode } from '../support/nodeProcess.ts'
import { ROOT } from '../support/sources.ts'
import { testFolder } from '../support/testFolder.ts'

const noNginx = missingProgram('nginx', '-v')
const noHaproxy = missingProgram('haproxy', '-v')
const POLL_MS = 50
/** Seconds that a node goes on after its signal to stop: HAProxy asks every two seconds, and believes the second no. */
const DRAIN_DELAY = 30
/** Least body that a node may refuse for its size, bytes. */
const MAX_BODY = 1024

t.setTimeout(300_000)

/** A node with a port of its own for monitoring. */
interface Backend {
  readonly node: NodeProcess
  readonly port: number
  readonly monitoring: number
}

interface Balanced {
  readonly url: string
  readonly first: Backend
  readonly second: Backend
}

type Statistics = () => Promise<Map<string, Record<string, string>>>

/** The servers of HAProxy's file, and what it says of one that is ready. */
const SERVERS = ['one', 'two']
const CHECKED = { status: 'UP', check_code: '200', check_status: /L7OK/ }

/** Who answers, as eth_coinbase says it. */
const FIRST = `0x${'11'.repeat(20)}`
const SECOND = `0x${'22'.repeat(20)}`

async function startBackend(t: Test, name: string): Promise<Backend> {
  const [port, monitoring] = [await freePort(), await freePort()]
  const args = [
    ...['--workers', '1', '--coinbase', name, '--metrics-port', `${monitoring}`, '--allowed-hosts', '*'],
    ...[
      '--trusted-proxies',
      '127.0.0.1',
      '--drain-delay',
      `${DRAIN_DELAY}`,
      '--max-body-size',
      `${MAX_BODY}`,
    ],
  ]
  const node = await startNode({ dataDir: testFolder(t), port, args })
  t.teardown(() => node.stop('SIGKILL'))
  return { node, port, monitoring }
}

async function startBackends(t: Test): Promise<[Backend, Backend]> {
  return [await startBackend(t, FIRST), await startBackend(t, SECOND)]
}

/** A file of .deploy/balancers with addresses of this machine in place of those that it has. */
function configuration(name: string, replacements: Readonly<Record<string, string>>): string {
  let text = readFileSync(join(ROOT, '.deploy/balancers', name), 'utf8')
  for (const [from, to] of Object.entries(replacements)) {
    const parts = text.split(from)
    if (parts.length !== 2) throw new Error(`${name} has "${from}" ${parts.length - 1} times`)
    text = parts.join(to)
  }
  return text
}

async function startNginx(t: Test): Promise<Balanced> {
  const [first, second] = await startBackends(t)
  const port = await freePort()
  const folder = testFolder(t)
  const servers = join(folder, 'rhizome.conf')
  writeFileSync(
    servers,
    configuration('nginx.conf', {
      '10.0.0.1:4444': `127.0.0.1:${first.port}`,
      '10.0.0.2:4444': `127.0.0.1:${second.port}`,
      'listen 80;': `listen 127.0.0.1:${port};`,
    }),
  )
  const main = join(folder, 'nginx.conf')
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${join(folder, kind)};`,
  )
  writeFileSync(
    main,
    [
      ...(process.getuid?.() === 0 ? ['user root;'] : []),
      ...['daemon off;', 'worker_processes 1;', `pid ${join(folder, 'pid')};`, 'events {}'],
      ...['http {', 'access_log off;', ...folders, `include ${servers};`, '}'],
    ].join('\n'),
  )
  const { output } = startProgram(t, 'nginx', ['-c', main, '-p', folder, '-e', 'stderr'])
  const url = `http://127.0.0.1:${port}`
  await untilAnswering(url, output)
  return { url, first, second }
}

/** @param change of the configuration that is shipped */
async function startHaproxy(
  t: Test,
  change: (text: string) => string = (text) => text,
): Promise<Balanced & { readonly stats: Statistics }> {
  const [first, second] = await startBackends(t)
  const port = await freePort()
  const folder = testFolder(t)
  // A socket's name has 97 bytes at most.
  const socketFolder = mkdtempSync(join(tmpdir(), 'rhizome-'))
  t.teardown(() => rmSync(socketFolder, { recursive: true }))
  const socket = join(socketFolder, 'stats')
  const path = join(folder, 'haproxy.cfg')
  writeFileSync(
    path,
    change(
      configuration('haproxy.cfg', {
        'server one 10.0.0.1:4444': `server one 127.0.0.1:${first.port} port ${first.monitoring}`,
        'server two 10.0.0.2:4444': `server two 127.0.0.1:${second.port} port ${second.monitoring}`,
        'bind :80': `bind 127.0.0.1:${port}`,
        'global\n': `global\n    stats socket ${socket} mode 600 level user\n`,
      }),
    ),
  )
  const { output } = startProgram(t, 'haproxy', ['-db', '-f', path])
  const url = `http://127.0.0.1:${port}`
  await untilAnswering(url, output)
  return { url, first, second, stats: () => readStats(socket) }
}

/** What HAProxy says of its servers, by name and column. */
async function readStats(path: string): Promise<Map<string, Record<string, string>>> {
  const socket = connect(path).setEncoding('utf8')
  let text = ''
  socket.on('data', (part: string) => {
    text += part
  })
  socket.end('show stat\n')
  await once(socket, 'close')
  const [columns = [], ...rows] = text
    .replace(/^# /, '')
    .split('\n')
    .map((line) => line.split(','))
  return new Map(
    rows.map((row) => [
      row[1] ?? '',
      Object.fromEntries(columns.map((column, at) => [column, row[at] ?? ''])),
    ]),
  )
}

/** What HAProxy says of a server once it has asked whether it is ready. */
async function untilChecked(stats: Statistics, name: string): Promise<Record<string, string>> {
  for (;;) {
    const server = (await stats()).get(name)
    if (server !== undefined && !/INI/.test(server['check_status'] ?? 'INI')) return server
    await sleep(POLL_MS)
  }
}

async function untilAnswering(url: string, output: () => string): Promise<void> {
  for (let tries = 0; tries < 400; tries += 1) {
    const status = await post(url, 'eth_coinbase').then(
      (response) => response.status,
      () => 0,
    )
    if (status === 200) return
    await sleep(POLL_MS)
  }
  throw new Error(output())
}

function post(url: string, method: string, params: readonly unknown[] = []): Promise<Response> {
  return send(url, { jsonrpc: '2.0', id: 1, method, params })
}

function send(url: string, body: unknown): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

/** The name of the node that answers; else the status. */
async function whoAnswers(url: string): Promise<string> {
  const response = await post(url, 'eth_coinbase')
  if (response.status !== 200) return `${response.status} ${await response.text()}`
  return ((await response.json()) as { result: string }).result
}

async function allThatAnswer(url: string, requests: number): Promise<string[]> {
  const names = new Set<string>()
  for (let asked = 0; asked < requests; asked += 1) names.add(await whoAnswers(url))
  return [...names].sort()
}

/** Requests, batches, WebSockets and statuses, as they are without a balancer. */
async function checkService(t: Test, { url, first, second }: Balanced): Promise<void> {
  t.same(await allThatAnswer(url, 20), [FIRST, SECOND], 'both nodes answer')

  const call = (id: number) => ({ jsonrpc: '2.0', id, method: 'eth_chainId', params: [] })
  const batch = (await (await send(url, [call(1), call(2), call(3)])).json()) as {
    id: number
    result: string
  }[]
  t.same(
    batch.map(({ id, result }) => [id, result]),
    [1, 2, 3].map((id) => [id, '0x21']),
  )

  const tooLarge = await send(url, { ...call(1), params: ['x'.repeat(2 * MAX_BODY)] })
  t.equal(tooLarge.status, 413, 'the status of the node')
  t.equal((await fetch(url, { method: 'PUT', body: '{}' })).status, 405)
  t.same(await (await fetch(`${url}/health`)).json(), { alive: true })

  const socket = new WebSocket(url.replace('http', 'ws'))
  await once(socket, 'open')
  const next = async () => JSON.parse(String((await once(socket, 'message'))[0])) as Record<string, unknown>
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'eth_subscribe', params: ['newHeads'] }))
  const { id, result } = await next()
  t.match({ id, result }, { id: 7, result: /^0x/ })
  const notice = next()
  // The socket is at one of the two.
  for (const { node } of [first, second]) await node.request('evm_mine')
  t.match(await notice, { method: 'eth_subscription' }, 'a node pushes through the balancer')
  socket.close()
  await once(socket, 'close')
}

/** Asks without a pause until told to stop; gives every answer that is none of a node. */
function keepAsking(url: string): { stop(): Promise<{ asked: number; faults: string[] }> } {
  let isOver = false
  const faults: string[] = []
  let asked = 0
  const loop = async () => {
    while (!isOver) {
      const name = await whoAnswers(url).catch(String)
      asked += 1
      if (name !== FIRST && name !== SECOND) faults.push(name)
    }
  }
  const loops = Promise.all(Array.from({ length: 4 }, loop))
  return {
    stop: async () => {
      isOver = true
      await loops
      return { asked, faults }
    },
  }
}

/** Resolves when only one node is asked. @throws Error when none answers, as where the balancer takes both for gone */
async function untilOnly(url: string, name: string): Promise<void> {
  for (;;) {
    const names = await allThatAnswer(url, 20)
    if (names.join() === name) return
    const fault = names.find((one) => one !== FIRST && one !== SECOND)
    if (fault !== undefined) throw new Error(fault)
    await sleep(POLL_MS)
  }
}

t.test('nginx', { skip: noNginx }, async (t) => {
  const balanced = await startNginx(t)
  await checkService(t, balanced)
  const { url, first } = balanced
  const asking = keepAsking(url)
  await first.node.stop('SIGKILL')
  t.same(await allThatAnswer(url, 50), [SECOND])
  const { asked, faults } = await asking.stop()
  t.ok(asked > 50)
  t.same(faults, [], 'nobody notices that a node was killed')
})

t.test('HAProxy', { skip: noHaproxy }, async (t) => {
  const balanced = await startHaproxy(t)
  await checkService(t, balanced)
  const { url, first, stats } = balanced
  for (const name of SERVERS) t.match(await untilChecked(stats, name), CHECKED, `${name}, over HTTP/1.0`)
  const asking = keepAsking(url)
  const stopped = first.node.stop('SIGTERM')
  await untilOnly(url, SECOND)
  t.equal((await stats()).get('one')?.['check_code'], '503', 'a node that is to stop is asked no more')
  t.equal(await first.node.request('eth_coinbase'), FIRST, 'and still answers')
  await first.node.stop('SIGTERM')
  await stopped
  t.same(await allThatAnswer(url, 20), [SECOND])
  t.same((await asking.stop()).faults, [], 'nobody notices')
})

t.test('HAProxy with the check that it makes unless told otherwise', { skip: noHaproxy }, async (t) => {
  const { url, first, stats } = await startHaproxy(t, (text) =>
    text.replace('option httpchk GET /ready\n', 'option httpchk\n').replace(/^ *http-check expect .*\n/m, ''),
  )
  t.same(await allThatAnswer(url, 20), [FIRST, SECOND])
  for (const name of SERVERS) t.match(await untilChecked(stats, name), CHECKED, name)
  const asking = keepAsking(url)
  await first.node.stop('SIGKILL')
  await untilOnly(url, SECOND)
  t.same((await asking.stop()).faults, [], 'nobody notices that a node was killed')
})
