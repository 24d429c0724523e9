import { createServer, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import t, { type Test } from 'tap'
import { testFolder } from '../support/testFolder.ts'
import { Balancer, type BalancerName, balancerSkip } from './cluster/balancer.ts'

/** How a member answers: with a status, never, by breaking the connection off, or so where it was used before. */
type Manner = number | 'never' | 'broken' | 'used'

/** The time-outs of the files, shorter. */
const SHORT: Readonly<Record<BalancerName, readonly (readonly [string, string])[]>> = {
  nginx: [
    ['proxy_read_timeout 6s', 'proxy_read_timeout 1s'],
    ['proxy_read_timeout 75s', 'proxy_read_timeout 4s'],
  ],
  haproxy: [
    ['timeout server 6s', 'timeout server 1s'],
    ['timeout server 75s', 'timeout server 4s'],
  ],
}

/** HAProxy closes the connection of a client where a member breaks off what must not be sent twice. */
const CLOSED = { status: 599 }

/** Three members, of which a test says how they answer. */
async function openMembers(t: Test) {
  const manners: Manner[] = [200, 200, 200]
  const asked: string[][] = [[], [], []]
  const delay = { milliseconds: 0 }
  /** Connections with a request that was answered. */
  const used = new WeakSet<Socket>()
  const servers: Server[] = []
  for (const index of [0, 1, 2]) {
    const server = createServer((request, response) => {
      let body = ''
      request.on('data', (data: Buffer) => {
        body += data.toString()
      })
      request.on('end', () => {
        const manner = manners[index] ?? 200
        if (request.url === '/ready') {
          // A node takes no request without a host.
          const isRead = request.httpVersion === '1.1' && request.headers.host !== undefined
          response.writeHead(manner === 'never' ? 503 : isRead ? 200 : 400).end()
          return
        }
        asked[index]?.push(`${request.url} ${body}`)
        if (manner === 'never') return
        const isUsed = used.has(request.socket)
        used.add(request.socket)
        if (manner === 'broken' || (manner === 'used' && isUsed)) request.socket.destroy()
        else
          setTimeout(
            () => response.writeHead(manner === 'used' ? 200 : manner).end(`m${index}`),
            delay.milliseconds,
          )
      })
    })
    // Connections are closed where a test says so.
    server.keepAliveTimeout = 600_000
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    servers.push(server)
    t.teardown(() => {
      server.closeAllConnections()
      server.close()
    })
  }
  const addresses = servers.map((server) => `127.0.0.1:${(server.address() as AddressInfo).port}`)
  const total = () => asked.reduce((sum, all) => sum + all.length, 0)
  return { manners, asked, delay, addresses, total, servers }
}

for (const name of ['nginx', 'haproxy'] as const) {
  t.test(`${name} with the file of .deploy/fleet`, { skip: balancerSkip(name) }, async (t) => {
    const { manners, asked, delay, addresses, total, servers } = await openMembers(t)
    const balancer = await Balancer.start(name, {
      folder: testFolder(t),
      members: addresses,
      change: SHORT[name],
    })
    t.teardown(() => balancer.close())
    const ask = async (method: string, path = '/') => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] })
      const response = await fetch(`${balancer.url}${path}`, { method: 'POST', body })
      return { status: response.status, text: await response.text() }
    }
    const setAll = (...given: readonly Manner[]) => {
      for (const [index, manner] of given.entries()) manners[index] = manner
      for (const all of asked) all.length = 0
    }

    await t.test('all members are asked, with the path of the client', async (t) => {
      setAll(200, 200, 200)
      const answers = new Set<string>()
      for (let round = 0; round < 30; round += 1) answers.add((await ask('eth_blockNumber', '/KEY')).text)
      t.same([...answers].sort(), ['m0', 'm1', 'm2'])
      t.ok(asked.flat().every((request) => request.startsWith('/KEY {"jsonrpc"')))
    })

    await t.test('reads and sends of signed transactions are asked again elsewhere', async (t) => {
      for (const manner of [502, 503, 504, 'broken'] as const) {
        setAll(manner, 200, 200)
        for (let round = 0; round < 4; round += 1)
          t.equal((await ask('eth_sendRawTransaction')).status, 200, `${manner}`)
      }
      setAll('never', 200, 200)
      const began = performance.now()
      const answers = await Promise.all(Array.from({ length: 6 }, () => ask('eth_call')))
      t.ok(answers.every(({ status }) => status === 200))
      t.ok(performance.now() - began < 30_000)
    })

    await t.test('refusals of rates and errors of a request are nobody else’s', async (t) => {
      for (const status of [429, 401, 413, 500]) {
        setAll(status, status, status)
        t.equal((await ask('eth_blockNumber')).status, status)
        t.equal(total(), 1, `${status}`)
      }
    })

    await t.test('what must not be done twice is sent once', async (t) => {
      for (const method of ['eth_sendTransaction', 'personal_sendTransaction', 'evm_mine']) {
        setAll('broken', 'broken', 'broken')
        t.ok((await ask(method).catch(() => CLOSED)).status >= 502, method)
        t.equal(total(), 1, method)
        setAll(503, 503, 503)
        t.equal((await ask(method)).status, 503, method)
        t.equal(total(), 1, method)
      }
    })

    await t.test('a member that closes connections that are kept loses nothing', async (t) => {
      setAll('used', 200, 200)
      // So that they have more than one at once.
      delay.milliseconds = 5
      for (let round = 0; round < 5; round += 1) {
        const answers = await Promise.all(
          Array.from({ length: 60 }, (_, at) =>
            ask(at % 3 === 0 ? 'eth_sendTransaction' : 'eth_call').catch(() => CLOSED),
          ),
        )
        t.same([...new Set(answers.map(({ status }) => status))], [200])
      }
      delay.milliseconds = 0
    })

    await t.test('long calls are waited for, by their name or their path', async (t) => {
      setAll(200, 200, 200)
      delay.milliseconds = 1500
      t.equal((await ask('debug_traceTransaction')).status, 200)
      t.equal((await ask('trace_block')).status, 200)
      t.equal((await ask('eth_getLogs', '/long/KEY')).status, 200)
      t.equal(
        asked.flat().filter((request) => request.startsWith('/KEY {')).length,
        1,
        'the path is the client’s',
      )
      t.equal(total(), 3, 'once each')
      delay.milliseconds = 0
    })

    await t.test('work for pools stays with the first member as long as it is there', async (t) => {
      setAll(200, 200, 200)
      for (let round = 0; round < 6; round += 1) t.equal((await ask('mnr_getWork')).text, 'm0')
      setAll('broken', 200, 200)
      t.equal((await ask('mnr_getWork')).status, 200)
    })

    await t.test('a member that is gone is nobody’s trouble', async (t) => {
      setAll(200, 200, 200)
      servers[1]?.closeAllConnections()
      servers[1]?.close()
      const answers = await Promise.all(
        Array.from({ length: 60 }, (_, at) => ask(at % 3 === 0 ? 'eth_sendTransaction' : 'eth_call')),
      )
      t.same([...new Set(answers.map(({ status }) => status))], [200])
    })
  })
}
