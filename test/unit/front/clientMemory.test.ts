import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { openAccess } from '../../support/accessScene.ts'
import { openEventService } from '../../support/eventService.ts'
import { keyRecord } from '../../support/keyRecords.ts'
import { pauseUntilBehind, SocketClient } from '../../support/socketClient.ts'
import { SyntheticChain, testLog } from '../../support/syntheticChain.ts'

const MIB = 1024 * 1024
const CLIENT_BYTES = 2 * MIB
/** Logs of a block whose answer is about 1.6 MB: more than system buffers take of many. */
const LOG_DATA = 'ee'.repeat(800_000)

const chain = new SyntheticChain(t)
chain.append([[[testLog(1, [], LOG_DATA)]]])
const { admission } = openAccess([keyRecord('ada')], {
  requireKey: 'never',
  memory: { client: CLIENT_BYTES, total: 64 * MIB },
})
const { service } = await openEventService(t, chain, { admission })
const url = `http://127.0.0.1:${service.port}`
const used = () => admission.stats(0).memory.used

interface Answer {
  readonly id: unknown
  readonly result?: string
  readonly error?: { readonly code: number; readonly message: string }
}

async function ask(
  method: string,
  ...params: readonly unknown[]
): Promise<{ status: number; answer: Answer }> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 9, method, params })
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return { status: response.status, answer: (await response.json()) as Answer }
}

function addresses(count: number): { address: string[] } {
  return { address: Array.from({ length: count }, (_, i) => `0x${i.toString(16).padStart(40, '0')}`) }
}

function post(path: string, body: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

/** Waits until nothing is in use: what ends on a socket is noticed some turns later. */
async function untilFree(): Promise<void> {
  while (used() > 0) await nextTurn()
}

t.test(
  'filters and subscriptions name a bounded number and draw from the memory of the client',
  async (t) => {
    t.match((await ask('eth_newFilter', addresses(2000))).answer, {
      error: { code: -32602, message: /at most 65536 bytes/ },
    })
    t.match((await ask('eth_getLogs', { ...addresses(2000), fromBlock: '0x0', toBlock: '0x0' })).answer, {
      result: [],
    })
    const socket = await SocketClient.open(service.port)
    t.match(await socket.ask('eth_subscribe', 'logs', addresses(2000)), { error: { code: -32602 } })
    const installed: string[] = []
    let last = await ask('eth_newFilter', addresses(1400))
    for (; last.answer.result !== undefined; last = await ask('eth_newFilter', addresses(1400))) {
      installed.push(last.answer.result)
    }
    t.match(last, { status: 429, answer: { id: 9, error: { code: -32005, message: /--client-memory/ } } })
    t.ok(installed.length > 2 && installed.length < 20, String(installed.length))
    t.match(await socket.ask('eth_subscribe', 'logs', addresses(1400)), { error: { code: -32005 } })
    t.ok(used() <= CLIENT_BYTES)
    for (const handle of installed)
      t.match(await ask('eth_uninstallFilter', handle), { answer: { result: true } })
    t.equal(used(), 0)
    t.match(await socket.ask('eth_subscribe', 'logs', addresses(1400)), { result: /^0x/ })
    socket.close()
    await untilFree()
  },
)

t.test('a body that finds no room is refused as it comes', async (t) => {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'web3_sha3',
    params: [`0x${'00'.repeat(MIB)}`],
  })
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  t.equal(response.status, 429)
  t.match(await response.json(), { error: { code: -32005, message: /--client-memory/ } })
  await untilFree()
})

t.test('answers that nobody reads are bounded by the client, over HTTP', async (t) => {
  const filter = { fromBlock: '0x1', toBlock: '0x1' }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 5, method: 'eth_getLogs', params: [filter] })
  const idle: Socket[] = []
  for (let i = 0; i < 8; i += 1) {
    const socket = connect(service.port, '127.0.0.1')
    await once(socket, 'connect')
    socket.pause()
    socket.write(post('/', body))
    idle.push(socket)
  }
  while (service.stats().front.exchanges < 1) await nextTurn()
  t.ok(used() <= CLIENT_BYTES)
  for (const socket of idle) socket.destroy()
  await untilFree()
  t.match(await ask('eth_chainId'), { status: 200 })
})

t.test('a WebSocket that does not read is closed when what it asks takes too much', async (t) => {
  const slow = await SocketClient.open(service.port)
  await pauseUntilBehind(service, slow, 'eth_getLogs', { fromBlock: '0x1', toBlock: '0x1' })
  let code = 0
  slow.socket.on('close', (closed: number) => {
    code = closed
  })
  // Messages wait, then they are refused, until there is no room for the refusals either.
  const sockets = service.stats().front.webSockets
  for (let sent = 0; sent < 20_000 && service.stats().front.webSockets === sockets; sent += 1) {
    slow.socket.send('1')
    if (sent % 50 === 0) await nextTurn()
    if (used() > CLIENT_BYTES) t.fail(`${used()} bytes in use`)
  }
  slow.socket.resume()
  while (code === 0) await nextTurn()
  t.equal(code, 1008)
  await untilFree()
})

t.test('short messages that wait are counted with what they take beside their bytes', async (t) => {
  const slow = await SocketClient.open(service.port)
  await pauseUntilBehind(service, slow, 'eth_getLogs', { fromBlock: '0x1', toBlock: '0x1' })
  const [before, { messages }] = [used(), service.stats().front]
  for (let i = 0; i < 100; i += 1) slow.socket.send('1')
  while (service.stats().front.messages < messages + 100) await nextTurn()
  t.ok(used() - before >= 100 * 500, String(used() - before))
  slow.socket.terminate()
  await untilFree()
})

/** Everything that comes until the connection ends. */
async function untilClosed(bytes: string): Promise<string> {
  const socket = connect(service.port, '127.0.0.1', () => socket.write(bytes))
  let received = ''
  socket.on('data', (data) => {
    received += data.toString('latin1')
  })
  await once(socket, 'close')
  return received
}

t.test('a connection gets a bounded number of answers in a turn', async (t) => {
  const chainId = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
  const many = await untilClosed(post('/', chainId).repeat(1500))
  const answers = many.split('"result"').length - 1
  t.ok(answers > 0 && answers < 1500, String(answers))
  const refused = await untilClosed('PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n'.repeat(500))
  t.ok(refused.split('HTTP/1.1 405').length - 1 < 100)
  const waiting = await Promise.all(Array.from({ length: 400 }, () => ask('eth_chainId')))
  t.ok(
    waiting.every(({ status }) => status === 200),
    'who waits for answers gets all of them',
  )
})

t.test('a WebSocket that sends much at once gets everything, in order', async (t) => {
  const socket = await SocketClient.open(service.port)
  const answers = await Promise.all(Array.from({ length: 1000 }, () => socket.ask('eth_chainId')))
  t.ok(answers.every(({ result }, i) => result === '0x21' && (answers[i] as unknown as Answer).id === i + 1))
  socket.close()
  await untilFree()
})
