import { once } from 'node:events'
import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { connect } from 'node:net'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import type { TlsFiles } from '../../../src/front/tls.ts'
import type { Service } from '../../../src/node/service.ts'
import { createCertificate } from '../../support/certificate.ts'
import { openHttpService } from '../../support/httpService.ts'

const CHAIN_ID = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId' })
const MAX_CONNECTIONS = 6

async function open(t: Test, port: number, tls: TlsFiles | null = null): Promise<Service> {
  const service = await openHttpService({ front: { port, tls, maxConnections: MAX_CONNECTIONS } })
  t.teardown(() => service.stop())
  return service
}

/** The chain that goes on under the port of the one before, which is stopped. */
async function follow(t: Test, before: Service, tls: TlsFiles | null = null): Promise<Service> {
  before.stopAccepting()
  const next = await open(t, before.port, tls)
  before.handOver(next)
  await before.stop()
  return next
}

/** A client with one connection, and how many it has opened. */
function client(t: Test, port: number, isTls: boolean) {
  const Agent = isTls ? HttpsAgent : HttpAgent
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => agent.destroy())
  const sockets = new Set<unknown>()
  const ask = async (): Promise<string> => {
    const headers = { 'content-type': 'application/json' }
    const options = { host: '127.0.0.1', port, agent, method: 'POST', headers, rejectUnauthorized: false }
    const request = isTls ? httpsRequest(options) : httpRequest(options)
    request.end(CHAIN_ID)
    const [response] = (await once(request, 'response')) as [NodeJS.ReadableStream & { socket: unknown }]
    sockets.add(response.socket)
    const parts: Buffer[] = []
    for await (const part of response) parts.push(part as Buffer)
    return Buffer.concat(parts).toString()
  }
  return { ask, sockets }
}

const certificate = createCertificate(t.testdir(), 'here')
for (const { kind, tls } of [
  { kind: 'plain', tls: null },
  { kind: 'under TLS', tls: certificate },
]) {
  t.test(`a connection goes on with each chain that follows, ${kind}`, async (t) => {
    let service = await open(t, 0, tls)
    const { ask, sockets } = client(t, service.port, tls !== null)
    const answer = await ask()
    t.match(answer, /"result":"0x21"/)
    for (let round = 0; round < 3; round += 1) {
      service = await follow(t, service, tls)
      t.equal(await ask(), answer)
      t.equal(service.earlier.length, 1, 'fronts without a connection are not held')
      t.equal(service.stats().front.connections, 0)
    }
    t.equal(sockets.size, 1)
    await service.stop()
    await t.rejects(ask(), 'it ends with the last of them')
  })
}

t.test('connections of the chains before count', async (t) => {
  let service = await open(t, 0)
  const held = []
  for (let round = 0; round < 3; round += 1) {
    for (let one = 0; one < 2; one += 1) held.push(client(t, service.port, false))
    for (const { ask } of held) t.match(await ask(), /"result":"0x21"/)
    service = await follow(t, service)
  }
  t.equal(service.earlier.length, 3)
  const refused = connect(service.port, '127.0.0.1')
  await once(refused, 'close')
  t.equal(service.stats().front.refusedConnections, 1)
  for (const { ask, sockets } of held) {
    t.match(await ask(), /"result":"0x21"/)
    t.equal(sockets.size, 1)
  }
})

t.test('a WebSocket ends with its chain, and its connection is no longer counted', async (t) => {
  const before = await open(t, 0)
  const socket = new WebSocket(`ws://127.0.0.1:${before.port}`)
  await once(socket, 'open')
  const closed = once(socket, 'close')
  const next = await follow(t, before)
  const [code] = (await closed) as [number]
  t.equal(code, 1001)
  const another = new WebSocket(`ws://127.0.0.1:${next.port}`)
  await once(another, 'open')
  const message = once(another, 'message')
  another.send(CHAIN_ID)
  t.match(String((await message)[0]), /"result":"0x21"/)
  another.close()
  await follow(t, next)
  t.equal(next.earlier.length, 0)
})
