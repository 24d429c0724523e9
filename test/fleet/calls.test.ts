import { randomBytes } from 'node:crypto'
import t, { type Test } from 'tap'
import { CallRefusal } from '../../src/fleet/errors.ts'
import { MemberCalls } from '../../src/fleet/nats/calls.ts'
import { FleetNames } from '../../src/fleet/nats/names.ts'
import { connectFleet } from '../../src/fleet/nats/natsConnection.ts'
import { pack, unpack } from '../../src/fleet/nats/packed.ts'
import { RpcError } from '../../src/rpc/errors.ts'
import { NATS_SKIP, startNatsCluster } from '../support/natsServer.ts'
import { testFolder } from '../support/testFolder.ts'
import { connectionTo, until } from './support/connections.ts'

const ONE = '1111111111111111'
const TWO = '2222222222222222'
const THREE = '3333333333333333'
const OPTIONS = { milliseconds: 20_000, limit: 16_000_000 }
const MOST_WAITING = 4

t.test('calls between members', { skip: NATS_SKIP }, async (t) => {
  const cluster = await startNatsCluster(3, { folder: testFolder(t), maxPayload: 65_536 })
  t.teardown(() => cluster.kill())

  /** A member on a server of its own, so that calls cross routes. */
  async function member(t: Test, self: string, server: number): Promise<MemberCalls> {
    const connection = await connectFleet(connectionTo([cluster.urls[server] ?? '']))
    const calls = new MemberCalls({ connection, names: new FleetNames('calls'), self })
    t.teardown(async () => {
      calls.close()
      await connection.close()
    })
    return calls
  }

  /** Calls until the subscription of the other member is known to the servers. */
  async function reach(calls: MemberCalls, id: string, service: string): Promise<void> {
    for (;;) {
      const known = await calls.call(id, service, Buffer.alloc(0), OPTIONS).then(
        () => true,
        (error) => error.code !== 'NoMember',
      )
      if (known) return
    }
  }

  await t.test('payloads arrive, also answers of many chunks', async (t) => {
    const one = await member(t, ONE, 0)
    const two = await member(t, TWO, 1)
    const large = randomBytes(10_000_000)
    two.serve(
      'echo',
      async (payload, { from }) => {
        const text = payload.toString()
        return text === 'large' ? large : text === 'nothing' ? Buffer.alloc(0) : pack({ from, payload })
      },
      { concurrency: 4 },
    )
    await reach(one, TWO, 'echo')
    const answer = await one.call(TWO, 'echo', Buffer.from([1, 2]), OPTIONS)
    t.same(unpack(answer, 1000), { from: ONE, payload: Buffer.from([1, 2]) })
    t.ok(large.equals(await one.call(TWO, 'echo', Buffer.from('large'), OPTIONS)))
    const unbounded = { ...OPTIONS, limit: Number.MAX_SAFE_INTEGER }
    t.equal((await one.call(TWO, 'echo', Buffer.from('nothing'), unbounded)).length, 0)
    t.equal(one.pending, 0)
  })

  await t.test('a member calls itself without NATS', async (t) => {
    const one = await member(t, ONE, 0)
    one.serve('own', async (payload) => payload, { concurrency: 1 })
    t.same(await one.call(ONE, 'own', Buffer.from('x'), OPTIONS), Buffer.from('x'))
    await t.rejects(one.call(ONE, 'other', Buffer.alloc(0), OPTIONS), { code: 'NoMember' })
  })

  await t.test('what is refused keeps kind, text and data; other errors keep nothing', async (t) => {
    const one = await member(t, ONE, 0)
    const two = await member(t, TWO, 1)
    two.serve(
      'fails',
      async (payload) => {
        if (payload.length === 0) throw new RpcError('filterNotFound', 'gone', { data: { block: 7 } })
        throw new Error('a secret')
      },
      { concurrency: 1 },
    )
    await reach(one, TWO, 'fails')
    const refused = await one.call(TWO, 'fails', Buffer.alloc(0), OPTIONS).catch((error: unknown) => error)
    t.ok(refused instanceof CallRefusal)
    t.match(refused, { kind: 'filterNotFound', message: 'gone', data: { block: 7 } })
    const failed = await one.call(TWO, 'fails', Buffer.from('x'), OPTIONS).catch((error: unknown) => error)
    t.match(failed, { kind: 'internal', message: 'the call failed' })
  })

  await t.test('bounds: the answer, the call, the deadline', async (t) => {
    const one = await member(t, ONE, 0)
    const two = await member(t, TWO, 1)
    let aborted = 0
    two.serve('large', async () => randomBytes(100_001), { concurrency: 4 })
    two.serve(
      'never',
      (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            aborted += 1
            reject(new Error('late'))
          })
        }),
      { concurrency: 4 },
    )
    await reach(one, TWO, 'large')
    const large = one.call(TWO, 'large', Buffer.alloc(0), { ...OPTIONS, limit: 100_000 })
    t.match(await large.catch((error: unknown) => error), { kind: 'tooLarge' })
    await t.rejects(one.call(TWO, 'large', randomBytes(65_000), OPTIONS), { code: 'TooLarge' })
    await t.rejects(one.call(TWO, 'never', Buffer.alloc(0), { ...OPTIONS, milliseconds: 50 }), {
      code: 'Timeout',
    })
    await until('the handler is told', () => aborted === 1)
    await t.rejects(one.call(THREE, 'large', Buffer.alloc(0), OPTIONS), { code: 'NoMember' })
    await t.rejects(one.call('a.*', 'large', Buffer.alloc(0), OPTIONS), { code: 'BadName' })
    await t.rejects(one.call(TWO, 'a.>', Buffer.alloc(0), OPTIONS), { code: 'BadName' })
    t.equal(one.pending, 0)
  })

  await t.test('so many run at once, some wait, the rest is refused', async (t) => {
    const one = await member(t, ONE, 0)
    const two = await member(t, TWO, 1)
    const waiting: (() => void)[] = []
    let most = 0
    two.serve(
      'slow',
      async (payload) => {
        if (payload.length === 0) return payload
        await new Promise<void>((resolve) => {
          waiting.push(resolve)
          most = Math.max(most, waiting.length)
        })
        return payload
      },
      // Each waits with its payload and what it takes beside.
      { concurrency: 2, queueBytes: MOST_WAITING * (100 + 512) },
    )
    await reach(one, TWO, 'slow')
    const payload = Buffer.alloc(100)
    const results = Array.from({ length: 10 }, () =>
      one.call(TWO, 'slow', payload, OPTIONS).then(
        () => 'done',
        (error) => error.kind,
      ),
    )
    let finished = 0
    for (const result of results) void result.then(() => (finished += 1))
    await until('the rest is refused', () => finished === 4)
    t.equal(most, 2)
    while (finished < 10) {
      waiting.shift()?.()
      await until('the next begins', () => waiting.length > 0 || finished === 10)
    }
    const kinds = await Promise.all(results)
    t.equal(kinds.filter((kind) => kind === 'done').length, 2 + MOST_WAITING)
    t.equal(kinds.filter((kind) => kind === 'busy').length, 4)
    t.equal(most, 2)
  })

  await t.test('any other member answers, never the caller', async (t) => {
    const members = await Promise.all([ONE, TWO, THREE].map((id, index) => member(t, id, index)))
    const ids = [ONE, TWO, THREE]
    const leave = members.map((calls, index) =>
      calls.serve('any', async () => Buffer.from(ids[index] as string), { concurrency: 8, isShared: true }),
    )
    const [one, two] = members as [MemberCalls, MemberCalls, MemberCalls]
    const seen = new Set<string>()
    await until('both are known', () => {
      void one.callAny('any', Buffer.alloc(0), OPTIONS).then(
        (answer) => seen.add(answer.toString()),
        () => undefined,
      )
      return seen.size === 2
    })
    for (let call = 0; call < 100; call += 1) {
      seen.add((await one.callAny('any', Buffer.alloc(0), OPTIONS)).toString())
    }
    t.strictSame([...seen].sort(), [TWO, THREE])
    leave[1]?.()
    leave[2]?.()
    await until('those that left are not called', () => {
      void one.callAny('any', Buffer.alloc(0), OPTIONS).catch((error) => seen.add(error.code))
      return seen.has('NoMember')
    })
    t.equal((await two.callAny('any', Buffer.alloc(0), OPTIONS)).toString(), ONE)
  })
})
