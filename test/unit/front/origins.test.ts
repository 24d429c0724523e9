import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { monitoringHosts } from '../../../src/front/monitoring.ts'
import { DEFAULT_FRONT, type FrontOptions } from '../../../src/front/options.ts'
import { type OriginOptions, Origins } from '../../../src/front/origins.ts'
import { loadSocketLibrary } from '../../../src/front/socketLibrary.ts'
import { TrustedProxies } from '../../../src/gateway/access/clientAddress.ts'
import { type Admission, OPEN_ADMISSION } from '../../../src/gateway/admission.ts'
import { DEFAULT_LIMITS } from '../../../src/gateway/gateway.ts'
import { createLanes } from '../../../src/gateway/scheduler/lanes.ts'
import { openService, type Service } from '../../../src/node/service.ts'
import { METHODS } from '../../../src/rpc/methods.ts'
import { isPrivileged } from '../../../src/rpc/privileged.ts'
import { parseKeyFile } from '../../../src/storage/access/keyFile.ts'
import { openAccess } from '../../support/accessScene.ts'
import { openNodeContext } from '../../support/chainContext.ts'

const HEAD = '0xd4ad81091f44b6272b0d70e48840a41041aba1883d4a241f70aa30bfd92ac3d3'
const LANE = { queue: 256, timeout: 5 }
const WALLET = 'chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn'
const CHAIN_ID = ask('eth_chainId')
const JSON_TYPE = { 'content-type': 'application/json' }
const CLOSED = { code: -32601, message: /not available to web pages of other origins.*--trusted-origins/ }

/** Options of the dev profile. */
const DEV = { corsOrigin: 'loopback,extensions', hosts: ['localhost'] }

function ask(method: string): string {
  return `{"jsonrpc":"2.0","id":1,"method":"${method}","params":[]}`
}

async function open(
  t: Test,
  front: Partial<FrontOptions>,
  admission: Admission = OPEN_ADMISSION,
): Promise<Service> {
  const service = await openService({
    sockets: loadSocketLibrary(),
    front: { ...DEFAULT_FRONT, port: 0, ...front },
    limits: { ...DEFAULT_LIMITS, responseCacheBytes: 1_000_000, batch: 1000 },
    lanes: createLanes({ read: LANE, evm: LANE, scan: LANE, proof: LANE, trace: LANE }),
    workers: 1,
    admission,
    context: openNodeContext({ head: HEAD }, { flags: new Int32Array(8192), slot: 0 }),
    contextModule: new URL('../../support/chainContext.ts', import.meta.url),
    contextOptions: { head: HEAD },
    probes: { ready: async () => [], metrics: null },
    usageReport: async () => ({}),
    onUnexpected: () => undefined,
    onLostBatch: () => undefined,
    onChainPort: (port) => port.close(),
  })
  t.teardown(() => service.stop())
  return service
}

interface Sent {
  readonly method?: string
  readonly path?: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

/** Sends exactly these headers: fetch forbids some and adds others. */
function send(
  { port }: Pick<Service, 'port'>,
  { method = 'POST', path = '/', headers = JSON_TYPE, body = CHAIN_ID }: Sent,
) {
  return new Promise<{
    status: number | undefined
    headers: NodeJS.Dict<string | string[]>
    body: string
  }>((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      response
        .setEncoding('utf8')
        .toArray()
        .then(
          (chunks) =>
            resolve({ status: response.statusCode, headers: response.headers, body: chunks.join('') }),
          reject,
        )
    })
    asked.once('error', reject).end(method === 'POST' ? body : undefined)
  })
}

/** A WebSocket of a page, or the status of the refusal. */
async function openSocket({ port }: Pick<Service, 'port'>, headers: Record<string, string>, path = '/') {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers })
  const opened = once(socket, 'open').then(() => socket)
  opened.catch(() => undefined)
  const refused = once(socket, 'unexpected-response').then(([, response]) => {
    socket.on('error', () => undefined).terminate()
    return response.statusCode as number
  })
  return Promise.race([opened, refused])
}

t.test('what counts as foreign (decisions.md D59)', (t) => {
  const access = (
    options: Partial<OriginOptions>,
    origin: string,
    host = 'localhost:4444',
    site = '',
    forwardedScheme = '',
  ) => {
    const metadata = { origin, host, site, forwardedScheme }
    const found = new Origins({ ...DEFAULT_FRONT, ...DEV, ...options }).accessOf(metadata, null)
    return `${found.foreign ? 'foreign' : 'known'} ${found.restricted ? 'restricted' : 'full'} ${found.allowedOrigin}`
  }
  const full = 'known full null'
  const foreign = 'foreign restricted null'
  t.equal(access({}, ''), full)
  t.equal(access({}, '', 'localhost', 'none'), full)
  t.equal(access({}, '', 'localhost', 'same-origin'), full)
  t.equal(access({}, '', 'localhost', 'cross-site'), foreign)
  t.equal(access({}, '', 'localhost', 'same-site'), foreign)
  t.equal(access({}, 'http://localhost:4444'), full)
  t.equal(access({ corsOrigin: null }, 'https://localhost:4444'), foreign, 'another scheme is another origin')
  const tls = { certificate: 'c', key: 'k' }
  t.equal(access({ tls }, 'https://localhost:4444'), full)
  t.equal(access({ tls, corsOrigin: null }, 'http://localhost:4444'), foreign)
  const proxied = (origin: string, scheme: string) =>
    access({ corsOrigin: null }, origin, 'localhost:4444', '', scheme)
  t.equal(proxied('https://localhost:4444', 'https'), full, 'a proxy has the TLS')
  t.equal(proxied('http://localhost:4444', 'https'), foreign)
  t.equal(proxied('http://localhost:4444', 'http'), full)
  t.equal(access({}, 'http://192.168.0.7:4444', '192.168.0.7:4444'), full)
  for (const origin of ['http://localhost:3000', 'https://127.0.0.1', 'http://[::1]:5173', WALLET]) {
    t.equal(access({}, origin), `known restricted ${origin}`)
    t.equal(access({ corsOrigin: null }, origin), foreign)
    t.equal(access({ trustedOrigins: ['loopback', 'extensions'] }, origin), `known full ${origin}`)
  }
  for (const origin of [
    'null',
    'https://attacker.example',
    'http://attacker.localhost:4444',
    'http://localhost.attacker.example:4444',
    'http://127.0.0.1.attacker.example',
    'http://localhost@attacker.example',
    'chrome-extension://a.attacker.example',
    'ftp://localhost:4444',
  ]) {
    t.equal(access({}, origin), foreign, origin)
    t.equal(access({ corsOrigin: '*' }, origin), `known restricted ${origin}`, origin)
  }
  const trusting = { trustedOrigins: ['https://app.example'] }
  t.equal(access(trusting, 'https://app.example'), 'known full https://app.example')
  t.equal(access(trusting, 'http://app.example'), foreign)
  t.end()
})

t.test('a page under a name that was rebound to the node is not its own', (t) => {
  const host = 'rebound.example:4444'
  const metadata = { origin: `http://${host}`, host, site: '', forwardedScheme: '' }
  const of = (options: Partial<OriginOptions>) =>
    new Origins({ ...DEFAULT_FRONT, ...options }).accessOf(metadata, null)
  t.match(of({ hosts: ['*'] }), { restricted: true, foreign: false })
  t.match(of({ hosts: ['*', 'rebound.example'] }), { restricted: false })
  const tls = { certificate: 'c', key: 'k' }
  t.match(of({ hosts: ['rebound.example'], tls }), { foreign: true }, 'plain HTTP is another origin')
  t.end()
})

const dev = await open(t, { ...DEV, trustedOrigins: ['https://app.example'] })

t.test('a page behind a proxy with TLS is the own one when the proxy is trusted and says so', async (t) => {
  const opened = async (proxies: readonly string[]) => {
    const { admission } = openAccess([], { proxies: new TrustedProxies(proxies) })
    const { port } = await open(t, { hosts: ['node.example'] }, admission)
    return port
  }
  const [trusted, other] = await Promise.all([opened(['127.0.0.1']), opened(['10.0.0.1'])])
  const headers = {
    ...JSON_TYPE,
    host: 'node.example',
    origin: 'https://node.example',
    'x-forwarded-proto': 'https',
  }
  const mayDoAll = async (port: number, asked: Record<string, string>) => {
    const { body } = await send({ port }, { headers: asked, body: ask('eth_accounts') })
    const socket = await openSocket({ port }, asked)
    if (typeof socket !== 'number') socket.terminate()
    return [!/web pages/.test(body), socket !== 403]
  }
  t.same(await mayDoAll(trusted, headers), [true, true])
  t.same(await mayDoAll(other, headers), [false, false])
  const { 'x-forwarded-proto': _, ...plain } = headers
  t.same(await mayDoAll(trusted, plain), [false, false])
})

t.test('a program that sends its name as Origin is no page', async (t) => {
  const secret = 'program-key'
  const hash = createHash('sha256').update(secret).digest('hex')
  const keys = parseKeyFile(`- {id: ada, hash: ${hash}, origins: ["https://app.example"]}`, 'keys', 0)
  const { admission } = openAccess(keys)
  for (const [service, path] of [
    [dev, '/'],
    [await open(t, {}, admission), `/${secret}`],
  ] as const) {
    for (const origin of ['titanoboa', 'my tool/1.0 (localhost:4444)', 'localhost']) {
      const headers = { ...JSON_TYPE, origin }
      const answer = await send(service, { path, headers, body: ask('eth_accounts') })
      t.equal(answer.status, 200, origin)
      t.notMatch(answer.body, /web pages/, origin)
      t.equal((await send(service, { path, headers: { origin } })).status, 200, 'no content type')
      const socket = await openSocket(service, { origin }, path)
      if (typeof socket === 'number') t.fail(`refused with ${socket}`)
      else socket.terminate()
    }
  }
})

t.test('bytes without a type are taken from programs alone', async (t) => {
  const service = dev
  t.equal((await send(service, { headers: {} })).status, 200)
  for (const headers of [
    { origin: 'https://attacker.example' },
    { origin: `http://localhost:${service.port}`, host: `localhost:${service.port}` },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-origin' },
  ]) {
    t.equal((await send(service, { headers })).status, 415, JSON.stringify(headers))
    const text = { ...headers, 'content-type': 'text/plain' }
    t.equal((await send(service, { headers: text })).status, 415)
  }
})

t.test('every privileged method is closed to pages of other origins, on every way in', async (t) => {
  const service = await open(t, { ...DEV, corsOrigin: '*' })
  const origin = 'https://attacker.example'
  const names = METHODS.filter(({ audience }) => audience !== 'internal')
    .flatMap(({ name, aliases }) => [name, ...aliases])
    .filter(isPrivileged)
  t.ok(names.length > 30)
  // What programs asked is kept, and must not be told to pages from there either.
  for (const method of ['eth_accounts', 'eth_accounts', 'evm_snapshot'])
    await send(service, { body: ask(method) })
  const headers = { ...JSON_TYPE, origin }
  const socket = await openSocket(service, { origin })
  if (typeof socket === 'number') throw new Error(`refused with ${socket}`)
  t.teardown(() => socket.terminate())
  for (const name of names) {
    const answer = await send(service, { headers, body: ask(name) })
    t.match(JSON.parse(answer.body), { error: CLOSED }, name)
    socket.send(ask(name))
    t.match(JSON.parse(String((await once(socket, 'message'))[0])), { error: CLOSED }, name)
  }
  const batch = `[${[...names, 'eth_chainId'].map(ask).join(',')}]`
  const answers = JSON.parse((await send(service, { headers, body: batch })).body) as object[]
  t.match(answers.pop(), { result: '0x21' })
  for (const answer of answers) t.match(answer, { error: CLOSED })
  const nested = JSON.parse((await send(service, { headers, body: `[[${ask('eth_accounts')}]]` })).body)
  t.match(nested, [[{ error: CLOSED }]])
  // Spelled so that no scanner of the fast path reads it.
  const odd = await send(service, { headers, body: ask('eth_accounts').replace('eth_', 'e\\u0074h_') })
  t.match(JSON.parse(odd.body), { error: CLOSED })
})

t.test('programs, the own page and trusted origins may use them', async (t) => {
  const service = dev
  const host = `localhost:${service.port}`
  for (const headers of [
    JSON_TYPE,
    { ...JSON_TYPE, host, origin: `http://${host}` },
    { ...JSON_TYPE, origin: 'https://app.example' },
  ]) {
    const { body } = await send(service, { headers, body: ask('eth_accounts') })
    t.notMatch(body, /web pages/, JSON.stringify(headers))
  }
})

t.test('the browser is told about allowed origins alone', async (t) => {
  const service = dev
  const preflight = (origin: string) =>
    send(service, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    })
  for (const origin of ['http://localhost:3000', WALLET]) {
    const { status, headers } = await preflight(origin)
    t.equal(status, 204)
    t.match(headers, { 'access-control-allow-origin': origin, vary: 'Origin' })
    const answer = await send(service, { headers: { ...JSON_TYPE, origin } })
    t.match(answer, { status: 200, headers: { 'access-control-allow-origin': origin, vary: 'Origin' } })
    const socket = await openSocket(service, { origin })
    if (typeof socket === 'number') throw new Error(`refused with ${socket}`)
    socket.send(ask('eth_accounts'))
    t.match(JSON.parse(String((await once(socket, 'message'))[0])), { error: CLOSED })
    socket.terminate()
  }
  for (const origin of ['null', 'https://attacker.example', 'http://attacker.localhost:3000']) {
    t.equal((await preflight(origin)).status, 405)
    const answer = await send(service, { headers: { ...JSON_TYPE, origin } })
    t.equal(answer.headers['access-control-allow-origin'], undefined)
    t.equal(await openSocket(service, { origin }), 403)
  }
  t.equal(await openSocket(service, { 'sec-fetch-site': 'cross-site' }), 403)
  t.equal(await openSocket(service, { host: 'rebound.example' }), 400)
  t.equal((await send(service, { headers: { ...JSON_TYPE, host: 'rebound.example' } })).status, 400)
})

t.test('monitoring on loopback is not for rebound names, and nothing of it for other pages', async (t) => {
  const monitoring = { host: '127.0.0.1', port: 0 }
  const service = await open(t, { ...DEV, monitoring })
  const ports = [service.port, service.monitoring?.port ?? 0]
  const get = (port: number, path: string, headers: Record<string, string>) =>
    send({ ...service, port }, { method: 'GET', path, headers })
  for (const port of ports) {
    for (const path of ['/health', '/ready', '/metrics']) {
      const rebound = { host: 'rebound.example', origin: 'http://rebound.example' }
      t.equal((await get(port, path, rebound)).status, 400, `${path} of ${port}`)
      const own = await get(port, path, { host: 'localhost', origin: 'https://attacker.example' })
      t.not(own.status, 400)
      t.equal(own.headers['access-control-allow-origin'], undefined)
    }
    t.equal((await get(port, '/health', { host: '127.0.0.1:1' })).status, 200)
  }
  t.same(monitoringHosts({ host: '::1', port: 1 }, ['localhost']), ['localhost'])
  t.same(monitoringHosts({ host: '0.0.0.0', port: 1 }, ['localhost']), ['*'], 'names of the network')
})

t.test('an open WebSocket ends when its key is for other pages', async (t) => {
  const secret = 'moved-key'
  const keys = (origin: string) =>
    parseKeyFile(
      `- {id: ada, hash: ${createHash('sha256').update(secret).digest('hex')}, origins: ["${origin}"]}`,
      'keys',
      0,
    )
  const { admission, book } = openAccess(keys('https://app.example'))
  const service = await open(t, {}, admission)
  const page = await openSocket(service, { origin: 'https://app.example' }, `/${secret}`)
  const program = await openSocket(service, {}, `/${secret}`)
  if (typeof page === 'number' || typeof program === 'number') throw new Error(`${page} ${program}`)
  const closed = once(page, 'close')
  book.set(keys('https://new.example'))
  admission.refresh()
  const [code, reason] = await closed
  t.equal(code, 1008)
  t.equal(String(reason), 'the API key is no longer for pages of this origin')
  program.send(CHAIN_ID)
  const [answer] = await once(program, 'message')
  t.match(JSON.parse(String(answer)), { result: String })
  program.terminate()
})

t.test('the origins of a key hold over HTTP, on WebSockets, in preflights and for its usage', async (t) => {
  const secret = 'page-key'
  const hash = createHash('sha256').update(secret).digest('hex')
  const keys = parseKeyFile(`- {id: ada, hash: ${hash}, origins: ["https://app.example"]}`, 'keys', 0)
  const { admission } = openAccess(keys)
  const service = await open(t, {}, admission)
  const path = `/${secret}`
  const origin = 'https://app.example'
  const headers = { ...JSON_TYPE, origin }
  const allowed = { 'access-control-allow-origin': origin }
  t.match(await send(service, { path, headers }), { status: 200, headers: allowed })
  t.match(await send(service, { path, headers, method: 'OPTIONS' }), { status: 204, headers: allowed })
  const usage = `${path}/usage`
  t.match(await send(service, { path: usage, headers: { origin }, method: 'GET' }), {
    status: 200,
    headers: allowed,
  })
  const closed = await send(service, { path, headers, body: ask('eth_accounts') })
  t.match(JSON.parse(closed.body), { error: CLOSED })
  const socket = await openSocket(service, { origin }, path)
  t.not(socket, 401)
  if (typeof socket !== 'number') socket.terminate()
  const other = { ...JSON_TYPE, origin: 'https://attacker.example' }
  t.equal((await send(service, { path, headers: other })).status, 401)
  t.equal((await send(service, { path, headers: other, method: 'OPTIONS' })).status, 405)
  t.not((await send(service, { path: usage, headers: other, method: 'GET' })).status, 200)
  t.ok([401, 403].includes((await openSocket(service, { origin: other.origin }, path)) as number))
})
