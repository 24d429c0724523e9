import { MessageChannel } from 'node:worker_threads'
import t, { type Test } from 'tap'
import { createProxy, serve } from '../../../../src/node/proxy/proxy.ts'
import type { CommandSignal } from '../../../../src/rpc/commandSignal.ts'
import { RpcError } from '../../../../src/rpc/errors.ts'

interface Edit {
  readonly address: Buffer
  readonly balance?: bigint
  readonly cells?: readonly { readonly slot: bigint; readonly value: Buffer }[]
}

/** All that another thread has to know of an object. */
interface Sample {
  echo(edit: Edit): Promise<Edit>
  memoryOf(bytes: Buffer): Promise<number>
  refuse(): Promise<void>
  fail(): Promise<void>
  answerWith(what: 'a class' | 'a function'): Promise<unknown>
  waitFor(stop?: CommandSignal): Promise<string>
  never(): Promise<void>
  change(value: number): Promise<number>
}

function open(t: Test) {
  const { port1, port2 } = new MessageChannel()
  t.teardown(() => port1.close())
  const started: (() => void)[] = []
  const service: Sample = {
    echo: async (edit) => {
      if (!Buffer.isBuffer(edit.address)) throw new Error('no Buffer')
      return { ...edit, balance: (edit.balance ?? 0n) + 1n }
    },
    memoryOf: async (bytes) => bytes.buffer.byteLength,
    refuse: async () => {
      throw new RpcError('invalidParams', 'time 5 is not after the parent', { data: { timestamp: 5 } })
    },
    fail: async () => {
      throw new Error('mining is switched off')
    },
    answerWith: async (what) => (what === 'a class' ? new Map() : () => undefined),
    waitFor: async (stop) => {
      for (const start of started.splice(0)) start()
      if (stop === undefined) return 'no signal'
      while (!stop.aborted) await new Promise((resolve) => setImmediate(resolve))
      return 'stopped'
    },
    never: () => new Promise(() => undefined),
    change: async (value) => {
      tell({ kind: 'changed', value, hash: Buffer.alloc(1, value) })
      return value
    },
  }
  const tell = serve<Sample, Change>(port2, service)
  const events: Change[] = []
  const proxy = createProxy<Sample, Change>(port1, (event) => events.push(event))
  const begun = () => new Promise<void>((resolve) => started.push(resolve))
  return { proxy, events, begun, port2, tell }
}

interface Change {
  readonly kind: 'changed'
  readonly value: number
  readonly hash: Buffer
}

t.test('values arrive as they were', async (t) => {
  const { proxy } = open(t)
  const cells = [{ slot: 2n ** 200n, value: Buffer.from([1, 2]) }]
  const edit = await proxy.echo({ address: Buffer.alloc(20, 7), balance: 2n ** 90n, cells })
  t.same(edit, { address: Buffer.alloc(20, 7), balance: 2n ** 90n + 1n, cells })
  t.ok(Buffer.isBuffer(edit.address) && Buffer.isBuffer(edit.cells?.[0]?.value))
  const view = Buffer.alloc(1000).subarray(10, 20)
  t.equal(await proxy.memoryOf(view), 10, 'a view does not take the memory along that it is of')
  t.equal(await Promise.resolve(proxy).then((same) => same === proxy), true, 'it is no promise')
})

t.test('refusals and failures', async (t) => {
  const { proxy } = open(t)
  const refusal = { kind: 'invalidParams', message: 'time 5 is not after the parent', data: { timestamp: 5 } }
  await t.rejects(proxy.refuse(), refusal)
  t.ok((await proxy.refuse().catch((error: unknown) => error)) instanceof RpcError)
  await t.rejects(proxy.fail(), { code: 'CHAIN_LINK', message: 'mining is switched off' })
  await t.rejects(proxy.answerWith('a class'), { code: 'CHAIN_LINK', message: 'a Map cannot cross threads' })
  await t.rejects(proxy.answerWith('a function'), { message: 'a function cannot cross threads' })
  const other = new Date() as unknown as Buffer
  await t.rejects(proxy.memoryOf(other), { message: 'a Date cannot cross threads' })
  t.equal(await proxy.memoryOf(Buffer.alloc(3)), 3, 'the port goes on')
})

t.test('a signal stops what runs in the other thread', async (t) => {
  const { proxy, begun } = open(t)
  t.equal(await proxy.waitFor(), 'no signal')
  t.equal(await proxy.waitFor(AbortSignal.abort()), 'stopped')
  const controller = new AbortController()
  const running = begun()
  const answer = proxy.waitFor(controller.signal)
  await running
  controller.abort()
  t.equal(await answer, 'stopped')
})

t.test('nobody waits for a thread that has ended', async (t) => {
  const { proxy, port2 } = open(t)
  const waiting = proxy.never()
  port2.close()
  await t.rejects(waiting, { code: 'CHAIN_LINK' })
  await t.rejects(proxy.memoryOf(Buffer.alloc(1)), { code: 'CHAIN_LINK' })
})

t.test('events come in order among the answers', async (t) => {
  const { proxy, events, tell } = open(t)
  tell({ kind: 'changed', value: 0, hash: Buffer.alloc(1) })
  // Ends in the middle of messages, and many calls to each.
  const values = Array.from({ length: 50 }, (_, index) => index + 1)
  const seen = await Promise.all(values.map((value) => proxy.change(value).then(() => events.length)))
  t.same(
    events.map(({ value }) => value),
    [0, ...values],
  )
  t.ok(events.every(({ value, hash }) => Buffer.isBuffer(hash) && hash[0] === value))
  t.ok(
    seen.every((count, index) => count > index + 1),
    'the event of a call was there before its answer',
  )
})
