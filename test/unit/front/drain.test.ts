import { once } from 'node:events'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import type { Service } from '../../../src/node/service.ts'
import { openHttpService } from '../../support/httpService.ts'

/** No request runs into its own limit here. */
const LANE = { queue: 256, timeout: 600 }
const ADDRESS = `0x${'11'.repeat(20)}`
const FOREVER = { method: 'eth_getBalance', params: [ADDRESS, 'latest'] }
const SHORT = { method: 'eth_getBlockTransactionCountByNumber', params: ['0x6'] }
const STOPPING = { jsonrpc: '2.0', error: { code: -32005, message: 'the node stops, try again' } }

/** @param freezeOnState whether reads of an account's state never come back */
async function open(t: Test, freezeOnState: boolean): Promise<Service> {
  const service = await openHttpService({ lane: LANE, freezeOnState })
  t.teardown(() => service.stop())
  return service
}

const bodyOf = (id: number, request: object) => JSON.stringify({ jsonrpc: '2.0', id, ...request })

async function post(port: number, body: string): Promise<{ status: number; answer: unknown }> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body, headers })
  return { status: response.status, answer: await response.json() }
}

/** Resolves when so many requests came, whether or not they have their answer. */
async function untilAsked(service: Service, requests: number): Promise<void> {
  const asked = () => {
    const { exchanges, statuses } = service.stats().front
    return statuses.reduce((sum, { count }) => sum + count, exchanges)
  }
  while (asked() < requests) await new Promise((done) => setTimeout(done, 5))
}

t.test(
  'what outlasts the limit of a stop is answered with an error, at a worker, in a queue, everywhere',
  async (t) => {
    const service = await open(t, true)
    const { port } = service
    const socket = new WebSocket(`ws://127.0.0.1:${port}`)
    await once(socket, 'open')
    const running = post(port, bodyOf(1, FOREVER))
    await untilAsked(service, 1)
    while (service.stats().lanes.read.running === 0) await new Promise((done) => setTimeout(done, 5))
    const queued = post(port, bodyOf(2, SHORT))
    const batch = post(port, `[${bodyOf(3, FOREVER)},${bodyOf(4, { method: 'eth_chainId' })}]`)
    const message = once(socket, 'message')
    socket.send(bodyOf(5, SHORT))
    await untilAsked(service, 4)
    await service.drain({ delay: 0, timeout: 100 })
    t.same(await running, { status: 503, answer: { ...STOPPING, id: 1 } })
    t.same(await queued, { status: 503, answer: { ...STOPPING, id: 2 } })
    t.same(await batch, {
      status: 200,
      answer: [
        { ...STOPPING, id: 3 },
        { jsonrpc: '2.0', id: 4, result: '0x21' },
      ],
    })
    t.same(JSON.parse(String((await message)[0])), { ...STOPPING, id: 5 })
    t.equal(service.stats().front.exchanges, 0)
    await t.rejects(post(port, bodyOf(6, SHORT)), 'no further connections')
  },
)

t.test('for the delay, and until it has left, it serves', async (t) => {
  const service = await open(t, false)
  let hasLeft = false
  await service.drain({ delay: 50, timeout: 3_600_000 }, async () => {
    const { status, answer } = await post(service.port, bodyOf(1, SHORT))
    t.equal(status, 200)
    t.match(answer, { result: '0xb' })
    hasLeft = true
  })
  t.ok(hasLeft)
  await t.rejects(post(service.port, bodyOf(2, SHORT)), 'no further connections')
})

t.test('what ends within the limit gets its answer, and the stop does not wait longer', async (t) => {
  const service = await open(t, false)
  const asked = Promise.all([1, 2, 3].map((id) => post(service.port, bodyOf(id, SHORT))))
  await untilAsked(service, 3)
  // Were it waited for, the test would run into its own limit.
  await service.drain({ delay: 0, timeout: 3_600_000 })
  for (const { status, answer } of await asked) {
    t.equal(status, 200)
    t.match(answer, { result: '0xb' })
  }
})
