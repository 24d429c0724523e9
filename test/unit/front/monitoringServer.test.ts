import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import t, { type Test } from 'tap'
import { monitoringProbes } from '../../../src/front/monitoring.ts'
import { serveMonitoring } from '../../../src/front/monitoringServer.ts'

const HOST = '127.0.0.1'
/** Connections that are taken. */
const MAX_CONNECTIONS = 32

async function serve(t: Test, { reasons = [], hosts = [] }: { reasons?: string[]; hosts?: string[] } = {}) {
  const probes = monitoringProbes({ ready: async () => reasons, metrics: async () => 'up 1\n' }, 'all')
  const server = await serveMonitoring({ host: HOST, port: 0 }, probes, hosts)
  t.teardown(() => server.close())
  return server
}

/** Sends bytes and gives what comes until the server ends the connection. */
async function ask(port: number, request: string): Promise<string> {
  const socket = connect(port, HOST).setEncoding('latin1')
  let received = ''
  socket.on('data', (text: string) => {
    received += text
  })
  socket.write(request)
  await once(socket, 'close')
  return received
}

t.test('HTTP/1.0, as HAProxy and nginx ask unless told otherwise', async (t) => {
  const reasons: string[] = []
  const { port } = await serve(t, { reasons })
  const get = (path: string) => ask(port, `GET ${path} HTTP/1.0\r\n\r\n`)
  t.match(await get('/health'), /^HTTP\/1\.1 200 .*\r\n\r\n\{"alive":true\}$/s)
  t.match(await get('/ready'), /^HTTP\/1\.1 200 .*\r\n\r\n\{"ready":true,"reasons":\[\]\}$/s)
  t.match(await get('/ready?from=balancer'), /^HTTP\/1\.1 200 /)
  t.match(await get('/metrics'), /^HTTP\/1\.1 200 .*text\/plain; version=0\.0\.4.*\r\n\r\nup 1\n$/s)
  t.match(await ask(port, 'HEAD /ready HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 200 .*\r\n\r\n$/s)
  t.match(await ask(port, 'OPTIONS / HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 200 /, 'a check without a path')
  reasons.push('the node stops')
  t.match(await get('/ready'), /^HTTP\/1\.1 503 .*"reasons":\["the node stops"\]\}$/s)
  t.match(await ask(port, 'OPTIONS / HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 503 /)
  t.match(await get('/health'), /^HTTP\/1\.1 200 /)
})

t.test('HTTP/1.1 keeps the connection, with and without a host', async (t) => {
  const { port } = await serve(t)
  const requests =
    'GET /health HTTP/1.1\r\nHost: a\r\n\r\nGET /ready HTTP/1.1\r\n\r\nGET /x HTTP/1.1\r\nHost: a\r\n\r\n'
  const received = await ask(port, requests.replaceAll('Host: a', `Host: ${HOST}`))
  t.same(
    [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
    ['200', '200', '404'],
  )
})

t.test('what is no question is answered and ends the connection', async (t) => {
  const { port } = await serve(t, { hosts: ['node.example'] })
  const statusOf = async (request: string) => /^HTTP\/1\.1 (\d+)/.exec(await ask(port, request))?.[1]
  t.equal(await statusOf('GET /health HTTP/1.0\r\nHost: node.example:4446\r\n\r\n'), '200')
  t.equal(await statusOf('GET /health HTTP/1.1\r\nHost: evil.example\r\n\r\n'), '400', 'DNS rebinding')
  t.equal(await statusOf('POST /metrics HTTP/1.1\r\nContent-Length: 1000000\r\n\r\nhalf'), '404')
  t.equal(await statusOf('nonsense\r\n\r\n'), '400')
  t.equal(await statusOf(`GET /health HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`), '431')
})

t.test('a probe that fails is an answer', async (t) => {
  const failing = async () => {
    throw new Error('gone')
  }
  const server = await serveMonitoring(
    { host: HOST, port: 0 },
    monitoringProbes({ ready: failing, metrics: failing }, 'all'),
    [],
  )
  t.teardown(() => server.close())
  for (const path of ['/ready', '/metrics'])
    t.match(await ask(server.port, `GET ${path} HTTP/1.0\r\n\r\n`), /^HTTP\/1\.1 503 /)
})

t.test('connections are few, and end with the port', async (t) => {
  const server = await serve(t)
  const sockets = Array.from({ length: MAX_CONNECTIONS }, () => connect(server.port, HOST))
  for (const socket of sockets) {
    socket.write('GET /health HTTP/1.1\r\n\r\n')
    await once(socket, 'data')
  }
  t.equal(await ask(server.port, 'GET /health HTTP/1.0\r\n\r\n').catch(() => ''), '', 'one more is closed')
  const ended = Promise.all(sockets.map((socket) => once(socket, 'close')))
  server.close()
  await ended
  const again = createServer()
  again.listen(server.port, HOST)
  await once(again, 'listening')
  again.close()
})

t.test('a port in use', async (t) => {
  const server = await serve(t)
  await t.rejects(serveMonitoring({ host: HOST, port: server.port }, new Map(), []), {
    code: 'LISTEN_FAILED',
    message: `cannot listen on ${HOST}:${server.port}: is the port in use?`,
  })
})
