import t, { type Test } from 'tap'
import type { WatchedRequest } from '../../../src/observe/tracing.ts'
import { InterruptTable } from '../../../src/workers/interrupts.ts'
import { createLocalService } from '../../support/ask.ts'
import { openLocalNode } from '../../support/localNode.ts'

const NOBODY = `0x${'ee'.repeat(20)}`
const BALANCE = ['eth_getBalance', [NOBODY, 'latest']] as const
const CALL = ['eth_call', [{ to: NOBODY }, 'latest']] as const
const BLOCK = ['eth_getBlockByNumber', ['latest', false]] as const

const interrupts = new InterruptTable()

const request = (method: string, params: unknown, id = 1) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })

/** A service over a node, and what it reports. */
function openScene(t: Test, threshold: number) {
  const { context: alone, core } = openLocalNode(t, { dataDir: t.testdir(), accountQuota: false })
  const context = { ...alone, interrupt: { flags: new Int32Array(interrupts.shared), slot: 0 } }
  const traced: WatchedRequest[] = []
  const slow: WatchedRequest[] = []
  const service = createLocalService(context, {
    stateStore: core.open.stateStore,
    responseCacheBytes: 1 << 20,
    trace: { request: (watched) => void traced.push(watched), end: () => undefined },
    watch: { threshold, onSlow: (watched) => void slow.push(watched) },
  })
  t.teardown(() => service.close())
  return { service, traced, slow }
}

t.test('a traced request is reported alike, whatever way its answer comes', async (t) => {
  const { service, traced, slow } = openScene(t, 60_000)
  const { ask, metrics } = service
  // By workers or the front thread first, then from memory, from the cache, and as a call in the front thread.
  for (const [method, params] of [BALANCE, BALANCE, BLOCK, BLOCK, CALL, CALL])
    await ask(request(method, params))
  t.same(
    traced.map(({ method }) => method),
    [BALANCE, BALANCE, BLOCK, BLOCK, CALL, CALL].map(([method]) => method),
  )
  const stats = metrics.stats()
  t.ok(stats.some(({ inFront }) => inFront > 0) && stats.some(({ fromCache }) => fromCache > 0))
  for (const watched of traced) {
    const { method, started, ended, code, paramBytes, answerBytes } = watched
    const params = [BALANCE, BLOCK, CALL].find(([name]) => name === method)?.[1]
    t.equal(paramBytes, JSON.stringify(params).length, method)
    t.ok(started > 0 && ended >= started && answerBytes > 0 && code === null, method)
  }
  traced.length = 0
  await ask(`[${request(...BALANCE)},${request(...BLOCK, 2)},${request('eth_getBalance', [])}]`)
  await ask(`[${request(...BALANCE)},${request(...BLOCK, 2)}]`)
  t.same(traced.map(({ method }) => method).sort(), [
    ...Array(3).fill(BALANCE[0]),
    ...Array(2).fill(BLOCK[0]),
  ])
  t.same(slow, [])
})

t.test('a slow request is reported alike, too', async (t) => {
  const { service, slow } = openScene(t, 0)
  for (const [method, params] of [BALANCE, BLOCK, BLOCK, CALL, CALL])
    await service.ask(request(method, params))
  t.same(
    slow.map(({ method }) => method),
    [BALANCE, BLOCK, BLOCK, CALL, CALL].map(([method]) => method),
  )
})
