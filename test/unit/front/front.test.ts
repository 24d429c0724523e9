import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import t from 'tap'
import { WebSocket } from 'ws'
import { DEFAULT_FRONT, type FrontOptions } from '../../../src/front/options.ts'
import { loadSocketLibrary } from '../../../src/front/socketLibrary.ts'
import { checkTlsFiles } from '../../../src/front/tls.ts'
import { unlimitedCaller } from '../../../src/gateway/access/caller.ts'
import { type Admission, OPEN_ADMISSION } from '../../../src/gateway/admission.ts'
import { DEFAULT_LIMITS } from '../../../src/gateway/gateway.ts'
import { createLanes } from '../../../src/gateway/scheduler/lanes.ts'
import { createServiceMetrics } from '../../../src/node/metrics/serviceMetrics.ts'
import { openService, type Service } from '../../../src/node/service.ts'
import { createMetrics } from '../../../src/observe/metrics.ts'
import { RpcError } from '../../../src/rpc/errors.ts'
import { METHODS } from '../../../src/rpc/methods.ts'
import { parseKeyFile } from '../../../src/storage/access/keyFile.ts'
import type { KeyRecord } from '../../../src/storage/access/keyRecord.ts'
import { openAccess } from '../../support/accessScene.ts'
import { createCertificate } from '../../support/certificate.ts'
import { openNodeContext } from '../../support/chainContext.ts'

const HEAD = '0xd4ad81091f44b6272b0d70e48840a41041aba1883d4a241f70aa30bfd92ac3d3'
const LANE = { queue: 256, timeout: 5 }
const CHAIN_ID = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'
const POOLED = '{"jsonrpc":"2.0","id":2,"method":"eth_getBlockTransactionCountByNumber","params":["0x6"]}'
const JSON_TYPE = { 'content-type': 'application/json' }

function open(front: Partial<FrontOptions> = {}, admission: Admission = OPEN_ADMISSION): Promise<Service> {
  return openService({
    sockets: loadSocketLibrary(),
    front: { ...DEFAULT_FRONT, port: 0, maxBodyBytes: 100_000, ...front },
    limits: DEFAULT_LIMITS,
    lanes: createLanes({ read: LANE, evm: LANE, scan: LANE, proof: LANE, trace: LANE }),
    workers: 1,
    admission,
    context: openNodeContext({ head: HEAD }, { flags: new Int32Array(8192), slot: 0 }),
    contextModule: new URL('../../support/chainContext.ts', import.meta.url),
    contextOptions: { head: HEAD },
    probes: { ready: async () => reasons, metrics: async () => 'up 1\n' },
    onUnexpected: () => undefined,
    onLostBatch: () => undefined,
    onChainPort: (port) => port.close(),
  })
}

const reasons: string[] = []
const service = await open()
t.teardown(() => service.stop())
const url = `http://127.0.0.1:${service.port}`

async function post(body: string, headers: Record<string, string> = JSON_TYPE, path = '/') {
  const response = await fetch(url + path, { method: 'POST', body, headers })
  return { status: response.status, text: await response.text(), headers: response.headers }
}

t.test('answers POST on any path', async (t) => {
  for (const path of ['/', '/rpc', '/foo/bar', '/?x=1', '/websocket', '/SOME_KEY']) {
    t.match(await post(CHAIN_ID, JSON_TYPE, path), {
      status: 200,
      text: '{"jsonrpc":"2.0","id":1,"result":"0x21"}',
    })
  }
  const { headers, text } = await post(`[${CHAIN_ID},${POOLED}]`)
  t.equal(headers.get('content-type'), 'application/json')
  t.equal(text, '[{"jsonrpc":"2.0","id":1,"result":"0x21"},{"jsonrpc":"2.0","id":2,"result":"0xb"}]')
})

t.test('status codes (decisions.md D23)', async (t) => {
  t.match(await post('hello'), { status: 400, text: /-32700/ })
  t.match(await post('5'), { status: 400, text: /-32600/ })
  t.match(await post('{"jsonrpc":"2.0","id":1,"method":"eth_getBlockByHash","params":["0x"]}'), {
    status: 200,
    text: /-32602/,
  })
  t.match(await post('{"jsonrpc":"2.0","method":"eth_chainId"}'), { status: 200, text: '' })
  t.equal((await post('x'.repeat(100_001))).status, 413)
  for (const type of [
    'application/json; charset=utf-8',
    'application/json-rpc',
    'text/json',
    'Application/JSON',
  ]) {
    t.equal((await post(CHAIN_ID, { 'content-type': type })).status, 200, type)
  }
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonrequest']) {
    t.equal((await post(CHAIN_ID, { 'content-type': type })).status, 415, type)
  }
  for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
    const response = await fetch(url, { method })
    t.equal(response.status, 405, method)
    t.equal(response.headers.get('allow'), 'POST')
  }
  t.equal((await fetch(`${url}/rpc`)).status, 405)
})

t.test('page, health and metrics', async (t) => {
  const page = await fetch(url)
  t.equal(page.status, 200)
  t.match(await page.text(), /Rhizome/)
  t.same(await (await fetch(`${url}/health`)).json(), { alive: true })
  const ready = async (of: string) => {
    const response = await fetch(`${of}/ready`)
    return { status: response.status, body: await response.json() }
  }
  t.same(await ready(url), { status: 200, body: { ready: true, reasons: [] } })
  reasons.push('the store takes no writes: no space')
  t.same(await ready(url), { status: 503, body: { ready: false, reasons } })
  const apart = await open({ monitoring: { host: '127.0.0.1', port: 0 } })
  t.teardown(() => apart.stop())
  const inside = `http://127.0.0.1:${apart.monitoring?.port}`
  const outside = `http://127.0.0.1:${apart.port}`
  t.same(await ready(inside), { status: 503, body: { ready: false, reasons } })
  t.same(await ready(outside), { status: 503, body: { ready: false } }, 'strangers get no reasons')
  t.equal((await fetch(`${outside}/metrics`)).status, 404)
  t.equal(await (await fetch(`${inside}/metrics`)).text(), 'up 1\n')
  t.equal((await fetch(inside, { method: 'POST' })).status, 404)
  reasons.length = 0
  t.equal(await (await fetch(`${url}/metrics`)).text(), 'up 1\n')
})

t.test('a missing content type, chunks, keep-alive and pipelined requests on one connection', async (t) => {
  const plain = (body: string) =>
    `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const half = CHAIN_ID.slice(0, 20)
  const rest = CHAIN_ID.slice(20)
  const chunked =
    'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n' +
    `${half.length.toString(16)}\r\n${half}\r\n${rest.length.toString(16)}\r\n${rest}\r\n0\r\n\r\n`
  const received = await exchangeRaw(service.port, plain(CHAIN_ID) + plain(CHAIN_ID) + chunked, 3)
  t.equal(received.match(/"result":"0x21"/g)?.length, 3)
})

t.test(
  'a request behind one that waits for a worker ends the connection, without a wrong answer',
  async (t) => {
    const framed = (body: string) =>
      `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    const marked = (id: number, body: string) => framed(body.replace(/"id":\d/, `"id":${id}`))
    const inOrder = await exchangeRaw(service.port, [1, 2, 3].map((id) => marked(id, CHAIN_ID)).join(''), 3)
    t.same(idsOf(inOrder), [1, 2, 3])
    for (const bodies of [
      [POOLED, CHAIN_ID],
      [CHAIN_ID, POOLED, CHAIN_ID],
      [POOLED, POOLED, POOLED],
    ]) {
      const requests = bodies.map((body, index) => marked(index + 1, body))
      const answered = idsOf(await exchangeRaw(service.port, requests.join(''), bodies.length))
      t.same(answered, [1, 2, 3].slice(0, answered.length))
      t.ok(answered.length < bodies.length)
    }
    t.match(await post(POOLED), { status: 200, text: /"result":"0xb"/ })
  },
)

function idsOf(received: string): number[] {
  return [...received.matchAll(/"id":(\d)/g)].map(([, id]) => Number(id))
}

t.test('CORS and Host', async (t) => {
  t.equal((await post(CHAIN_ID)).headers.get('access-control-allow-origin'), null)
  const strict = await open({ corsOrigin: '*', hosts: ['node.example'] })
  t.teardown(() => strict.stop())
  const address = `http://127.0.0.1:${strict.port}`
  const preflight = await fetch(address, {
    method: 'OPTIONS',
    headers: { 'access-control-request-headers': 'content-type,x-a', origin: 'http://page.example' },
  })
  t.equal(preflight.status, 204)
  t.equal(preflight.headers.get('access-control-allow-origin'), 'http://page.example')
  t.equal(preflight.headers.get('vary'), 'Origin')
  t.equal(preflight.headers.get('access-control-allow-headers'), 'content-type,x-a')
  const fromPage = { ...JSON_TYPE, origin: 'http://page.example' }
  const answer = await fetch(address, { method: 'POST', body: CHAIN_ID, headers: fromPage })
  t.equal(answer.headers.get('access-control-allow-origin'), 'http://page.example')
  t.equal(answer.headers.get('vary'), 'Origin')
  const ask = (host: string) =>
    exchangeRaw(
      strict.port,
      `POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${CHAIN_ID.length}\r\n\r\n${CHAIN_ID}`,
      1,
    )
  t.match(await ask('evil.example'), /^HTTP\/1.1 400/)
  for (const host of ['node.example', 'node.example:4444', '127.0.0.1:1', '[::1]:1']) {
    t.match(await ask(host), /^HTTP\/1.1 200/, host)
  }
})

t.test('metrics tell when the certificate ends', async (t) => {
  const tls = createCertificate(t.testdir(), 'a')
  const secure = await open({ tls })
  t.teardown(() => secure.stop())
  const metrics = createMetrics()
  createServiceMetrics(metrics, () => secure)
  const end = checkTlsFiles(tls).validTo / 1000
  t.match(await metrics.registry.metrics(), `rhizome_tls_certificate_end_time_seconds ${end}\n`)
})

t.test('admission', async (t) => {
  const admission: Admission = {
    ...OPEN_ADMISSION,
    admit: ({ path }) => (path === '/KEY' ? unlimitedCaller('key') : new RpcError('unauthorized')),
    charge: (_caller, place) =>
      METHODS[place]?.name === 'eth_coinbase' ? new RpcError('limited', 'quota used up') : null,
  }
  const guarded = await open({}, admission)
  t.teardown(() => guarded.stop())
  const ask = async (path: string, method: string) => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"${method}","params":[]}`
    const response = await fetch(`http://127.0.0.1:${guarded.port}${path}`, {
      method: 'POST',
      body,
      headers: JSON_TYPE,
    })
    return {
      status: response.status,
      text: await response.text(),
      retry: response.headers.get('retry-after'),
    }
  }
  t.match(await ask('/KEY', 'eth_chainId'), { status: 200 })
  t.match(await ask('/', 'eth_chainId'), { status: 401, text: /^{"jsonrpc":"2.0","id":null,"error":/ })
  t.match(await ask('/KEY', 'eth_coinbase'), { status: 429, text: /-32005/, retry: '1' })
  await t.rejects(openSocket(guarded.port, '/'))
  const socket = await openSocket(guarded.port, '/KEY')
  socket.close()
})

t.test('a body that is announced too long is refused before it comes, and the connection ends', async (t) => {
  const announce = (length: string, ...headers: readonly string[]) =>
    exchangeRaw(service.port, announcing(`Content-Length: ${length}`, ...headers), 1)
  for (const length of ['100001', '4294967296', '4294967295', '9007199254740993', '00100001'])
    t.match(await announce(length), /^HTTP\/1.1 413 .*connection: close/is, length)
  t.match(await announce('4294967296', 'X-Api: 1'), /^HTTP\/1.1 413/)
})

/** A POST that announces a body of which nothing comes. */
function announcing(...headers: readonly string[]): string {
  return `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${headers.join('\r\n')}\r\n\r\n`
}

t.test('a port is taken by one service only', async (t) => {
  await t.rejects(open({ port: service.port }), { code: 'LISTEN_FAILED' })
})

t.test('WebSocket', async (t) => {
  const socket = await openSocket(service.port, '/')
  t.teardown(() => socket.close())
  const ask = (body: string | Buffer) =>
    new Promise<string>((resolve) => {
      socket.once('message', (message: Buffer) => resolve(message.toString('utf8')))
      socket.send(body)
    })
  t.equal(await ask(CHAIN_ID), '{"jsonrpc":"2.0","id":1,"result":"0x21"}')
  t.equal(await ask(POOLED), '{"jsonrpc":"2.0","id":2,"result":"0xb"}')
  t.equal(await ask(Buffer.from(CHAIN_ID)), '{"jsonrpc":"2.0","id":1,"result":"0x21"}')
  t.match(await ask('{"jsonrpc":'), /-32700/)
  t.match(await ask('[]'), /^\{.*-32600/)
  socket.send('{"jsonrpc":"2.0","method":"eth_chainId"}')
  t.equal(await ask(CHAIN_ID), '{"jsonrpc":"2.0","id":1,"result":"0x21"}')
  const closed = new Promise<number>((resolve) => socket.once('close', resolve))
  socket.send('x'.repeat(100_001))
  t.ok([1006, 1009].includes(await closed))
})

t.test('a client that leaves does not disturb the others', async (t) => {
  await new Promise<void>((resolve) => {
    const socket = connect(service.port, '127.0.0.1', () => {
      const body = POOLED
      socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`, () => {
        socket.destroy()
        resolve()
      })
    })
  })
  t.match(await post(POOLED), { status: 200, text: /"result":"0xb"/ })
})

function openSocket(port: number, path: string): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`)
    socket.once('open', () => resolve(socket))
    socket.once('error', reject)
  })
}

/** Sends bytes over a bare connection and resolves with what came once there are so many answers. */
function exchangeRaw(port: number, bytes: string, answers: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    const finish = () => {
      socket.destroy()
      resolve(received)
    }
    socket.setTimeout(5000, finish)
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      if ((received.match(/HTTP\/1.1 /g)?.length ?? 0) >= answers && received.endsWith('}')) finish()
    })
    socket.on('close', finish)
    socket.on('error', reject)
  })
}

t.test('with keys every request needs one, over HTTP and over WebSocket', async (t) => {
  const hash = createHash('sha256').update('my-key').digest('hex')
  const keys = parseKeyFile(`- {id: ada, hash: ${hash}, modules: [eth]}`, 'keys', 0)
  const { admission, book } = openAccess(keys)
  const keyed = await open({}, admission)
  t.teardown(() => keyed.stop())
  const ask = async (path: string, body = CHAIN_ID) => {
    const address = `http://127.0.0.1:${keyed.port}${path}`
    const response = await fetch(address, { method: 'POST', body, headers: JSON_TYPE })
    return { status: response.status, text: await response.text() }
  }
  const refusal = '{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"missing or unknown API key"}}'
  t.same(await ask('/my-key'), { status: 200, text: '{"jsonrpc":"2.0","id":1,"result":"0x21"}' })
  t.same(await ask('/'), { status: 401, text: refusal })
  t.same(await ask('/other'), { status: 401, text: refusal })
  t.match(await ask('/my-key', CHAIN_ID.replace('eth_chainId', 'net_version')), {
    status: 200,
    text: /the method net_version does not exist\/is not available/,
  })

  const refused = new WebSocket(`ws://127.0.0.1:${keyed.port}/other`)
  const [, response] = await once(refused, 'unexpected-response')
  t.equal(response.statusCode, 401)
  t.equal(String(await response.toArray()), refusal)

  const socket = new WebSocket(`ws://127.0.0.1:${keyed.port}/my-key`)
  await once(socket, 'open')
  const next = async () => String((await once(socket, 'message'))[0])
  socket.send(CHAIN_ID)
  t.equal(await next(), '{"jsonrpc":"2.0","id":1,"result":"0x21"}')
  book.set([{ ...(keys[0] as KeyRecord), disabled: true }])
  admission.refresh()
  const [code, reason] = await once(socket, 'close')
  t.equal(code, 1008)
  t.equal(String(reason), 'the API key ended')
})
