import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { connectFleet, type FleetConnectionEvent } from '../../src/fleet/nats/natsConnection.ts'
import { NATS_SKIP, NATS_SYSTEM, startNatsCluster } from '../support/natsServer.ts'
import { testFolder } from '../support/testFolder.ts'
import { connectionTo, untilEvent } from './support/connections.ts'

/** A server of NATS that only says which version it has, and answers pings. */
async function fakeServer(t: Test, version: string): Promise<string> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    const info = {
      server_id: 'F',
      server_name: 'fake',
      version,
      proto: 1,
      headers: true,
      max_payload: 1024,
    }
    socket.write(`INFO ${JSON.stringify({ ...info, host: '127.0.0.1', port: 1, go: '', client_id: 1 })}\r\n`)
    socket.on('data', (data) => {
      if (data.toString('latin1').includes('PING')) socket.write('PONG\r\n')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return `nats://127.0.0.1:${address.port}`
}

t.test('an old server is refused, and one that does not say how old it is', async (t) => {
  for (const version of ['2.9.25', '2.10.22', '2.11.1']) {
    const url = await fakeServer(t, version)
    await t.rejects(connectFleet(connectionTo([url])), { code: 'ServerTooOld', message: version }, version)
  }
  await t.rejects(connectFleet(connectionTo([await fakeServer(t, 'dev')])))
})

t.test('a server that is new enough is taken beside one that is not', async (t) => {
  const old = await fakeServer(t, '2.10.22')
  const recent = await fakeServer(t, '2.11.2')
  const connection = await connectFleet(connectionTo([old, recent]))
  t.equal(connection.nats.info?.version, '2.11.2')
  await connection.close()
})

t.test('nobody answers', async (t) => {
  await t.rejects(connectFleet(connectionTo(['nats://127.0.0.1:1'])), { code: 'Unreachable' })
})

t.test('files that are not there are named', async (t) => {
  const missing = `${testFolder(t)}/missing`
  const options = connectionTo(['nats://127.0.0.1:1'])
  await t.rejects(connectFleet({ ...options, ca: missing }), { code: 'Unreadable', message: '--fleet-ca' })
  const credentials = connectFleet({ ...options, credentials: missing })
  await t.rejects(credentials, { code: 'Unreadable', message: '--fleet-credentials' })
})

t.test('with servers of NATS', { skip: NATS_SKIP }, async (t) => {
  const cluster = await startNatsCluster(3, { folder: testFolder(t) })
  t.teardown(() => cluster.kill())

  await t.test('a wrong password, and TLS that the server has not', async (t) => {
    const options = connectionTo(cluster.urls)
    await t.rejects(connectFleet({ ...options, password: 'wrong' }), { code: 'NotAuthorized' })
    const tls = cluster.urls.map((url) => url.replace('nats:', 'tls:'))
    await t.rejects(connectFleet({ ...options, servers: tls }), { code: 'Tls' })
  })

  await t.test('its name is seen by the servers', async (t) => {
    const connection = await connectFleet({ ...connectionTo(cluster.urls), name: 'rhizome one' })
    const [user = '', password = ''] = NATS_SYSTEM.split(':')
    const system = await connectFleet({ ...connectionTo(cluster.urls), user, password })
    const id = connection.nats.info?.server_id ?? ''
    const answer = await system.nats.request(`$SYS.REQ.SERVER.${id}.CONNZ`, '{}', { timeout: 5000 })
    t.match(answer.string(), 'rhizome one')
    await system.close()
    await connection.close()
  })

  await t.test('messages of a connection do not come back to it', async (t) => {
    const connection = await connectFleet(connectionTo(cluster.urls))
    const got: string[] = []
    connection.nats.subscribe('echo', {
      callback: (_, { data }) => void got.push(Buffer.from(data).toString()),
    })
    await connection.nats.flush()
    connection.nats.publish('echo', 'one')
    await connection.nats.flush()
    t.strictSame(got, [])
    await connection.close()
  })

  await t.test('a server that ends, and one that stands still, is left for another', async (t) => {
    const connection = await connectFleet(connectionTo(cluster.urls))
    const events: FleetConnectionEvent[] = []
    connection.onEvent((event) => events.push(event))
    const pinging = setInterval(() => connection.ping(), 500)
    t.teardown(() => clearInterval(pinging))
    for (const fault of ['kill', 'pause'] as const) {
      const port = connection.nats.getServer().split(':').at(-1)
      const server = cluster.servers.find(({ url }) => url.endsWith(`:${port}`))
      if (server === undefined) throw new Error('connected to a stranger')
      events.length = 0
      await server[fault]()
      const { server: next } = await untilEvent(events, 'connected')
      t.not(next.split(':').at(-1), port, fault)
      t.ok(connection.isConnected)
      await connection.nats.flush()
      if (fault === 'kill') server.start()
      else server.resume()
    }
    await cluster.untilReady()
    await connection.close()
    t.notOk(connection.isConnected)
  })

  await t.test('an old server is left again when the connection went over to it', async (t) => {
    const old = await fakeServer(t, '2.10.22')
    const [first = ''] = cluster.urls
    const connection = await connectFleet(connectionTo([first, old]))
    const events: FleetConnectionEvent[] = []
    connection.onEvent((event) => events.push(event))
    await cluster.servers[0]?.kill()
    const refused = await untilEvent(events, 'refused')
    t.equal(refused.version, '2.10.22')
    t.notOk(connection.isConnected)
    cluster.servers[0]?.start()
    await untilEvent(events, 'connected')
    t.equal(connection.nats.info?.version === '2.10.22', false)
    await connection.close()
    await cluster.untilReady()
  })
})
