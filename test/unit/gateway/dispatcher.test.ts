import t from 'tap'
import { Dispatcher } from '../../../src/gateway/scheduler/dispatcher.ts'
import { LaneQueue } from '../../../src/gateway/scheduler/laneQueue.ts'
import type { LaneLimits, PoolLane } from '../../../src/gateway/scheduler/lanes.ts'
import type { Ticket } from '../../../src/gateway/scheduler/ticket.ts'
import { preferencesOf } from '../../../src/rpc/preferences.ts'
import type { RequestPool } from '../../../src/workers/interface.ts'
import { InterruptTable } from '../../../src/workers/interrupts.ts'
import { NOT_RUN, type PoolAnswer, type PoolRequest } from '../../../src/workers/messages.ts'
import type { WorkerEnd } from '../../../src/workers/workerEnd.ts'

/** A pool whose batches end when the test says so. */
class HeldPool implements RequestPool {
  readonly capacity: number
  readonly batches: {
    requests: readonly PoolRequest[]
    /** @param most requests that were run, and how long each took */
    finish: (milliseconds?: number, most?: number) => void
    fail: () => void
  }[] = []

  constructor(capacity: number) {
    this.capacity = capacity
  }

  run(requests: readonly PoolRequest[], end?: WorkerEnd): Promise<readonly PoolAnswer[]> {
    return new Promise((resolve, reject) => {
      end?.addEventListener('abort', () => reject(new Error(String(end.reason))))
      this.batches.push({
        requests,
        finish: (milliseconds = 0, most = requests.length) =>
          resolve(
            requests.map(({ id }, i) => ({
              status: i < most ? 200 : NOT_RUN,
              bytes: Buffer.from(`answer ${id}`),
              milliseconds,
            })),
          ),
        fail: () => reject(new Error('worker died')),
      })
    })
  }

  async close(): Promise<void> {}
}

const ANYBODY = {}

const LIMITS: LaneLimits = { pool: 'reads', queue: 100, timeLimit: 1000, batch: 10 }

function setUp(t: Tap.Test, changes: Partial<Record<PoolLane, Partial<LaneLimits>>> = {}, capacity = 1) {
  const pools = { reads: new HeldPool(capacity), calls: new HeldPool(1), scans: new HeldPool(1) }
  const lane = (name: PoolLane, pool: LaneLimits['pool']) => ({ ...LIMITS, pool, ...changes[name] })
  const lost: unknown[] = []
  const interrupts = new InterruptTable()
  const dispatcher = new Dispatcher({
    lanes: {
      read: lane('read', 'reads'),
      evm: lane('evm', 'calls'),
      proof: lane('proof', 'calls'),
      scan: lane('scan', 'scans'),
      trace: lane('trace', 'scans'),
    },
    pools,
    interrupts,
    onLostBatch: (error) => lost.push(error),
    frozenAfter: 20,
  })
  t.teardown(() => dispatcher.close())
  const answers: string[] = []
  let next = 0
  const submit = (
    name: PoolLane = 'read',
    deadline = performance.now() + 10_000,
    client: object = ANYBODY,
  ): Ticket => {
    const id = String(next++)
    const ticket: Ticket = {
      client,
      method: 0,
      lane: name,
      id,
      params: '',
      preferences: preferencesOf('reference', 'cut'),
      deadline,
      startedAt: 0,
      charged: 0,
      slot: -1,
      settled: false,
      sink: (body, status) => answers.push(`${id} ${status} ${Buffer.from(body as string).toString()}`),
    }
    dispatcher.submit(name, ticket)
    return ticket
  }
  const submitAs = (client: object, count: number, name?: PoolLane) => {
    for (let i = 0; i < count; i += 1) submit(name, undefined, client)
  }
  return { dispatcher, pools, submit, submitAs, answers, lost, flags: new Int32Array(interrupts.shared) }
}

declare namespace Tap {
  type Test = { teardown(action: () => void): void }
}

const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

t.test('requests of one turn go as one batch; while it runs the next one grows', async (t) => {
  const { pools, submit, answers } = setUp(t)
  for (let i = 0; i < 3; i++) submit()
  t.equal(pools.reads.batches.length, 0)
  await turn()
  t.same(
    pools.reads.batches.map(({ requests }) => requests.map(({ id }) => id)),
    [['0', '1', '2']],
  )
  submit()
  await turn()
  submit()
  await turn()
  t.equal(pools.reads.batches.length, 1)
  pools.reads.batches[0]?.finish()
  await turn()
  t.same(answers, ['0 200 answer 0', '1 200 answer 1', '2 200 answer 2'])
  t.same(
    pools.reads.batches[1]?.requests.map(({ id }) => id),
    ['3', '4'],
  )
})

t.test('free workers share a turn', async (t) => {
  const { pools, submit } = setUp(t, {}, 2)
  for (let i = 0; i < 8; i++) submit()
  await turn()
  t.same(
    pools.reads.batches.map(({ requests }) => requests.length),
    [4, 4],
  )
})

t.test('a slow lane does not hold up another', async (t) => {
  const { pools, submit, answers } = setUp(t)
  submit('trace')
  await turn()
  submit('read')
  await turn()
  pools.reads.batches[0]?.finish()
  await turn()
  t.same(answers, ['1 200 answer 1'])
})

t.test('a full lane answers -32005 at once', async (t) => {
  const { submit, answers, dispatcher } = setUp(t, { read: { queue: 2, batch: 1 } })
  for (let i = 0; i < 3; i++) submit()
  t.equal(answers.length, 1)
  t.match(answers[0], /^2 429 .*"code":-32005/)
  t.match(dispatcher.stats()['read'], { waiting: 2, refused: 1 })
})

const idsOf = ({ batches }: HeldPool) => batches.map(({ requests }) => requests.map(({ id }) => id).join(' '))

t.test('who comes with little is served before who has much', async (t) => {
  const { pools, submitAs } = setUp(t, { read: { batch: 1 } })
  const [many, few] = [{}, {}]
  submitAs(many, 4)
  await turn()
  pools.reads.batches[0]?.finish(2)
  await turn()
  submitAs(few, 2)
  for (const batch of [1, 2, 3, 4]) {
    pools.reads.batches[batch]?.finish(2)
    await turn()
  }
  t.same(idsOf(pools.reads), ['0', '1', '4', '5', '2', '3'])
})

t.test('clients get the same time of the workers, however long their requests are', async (t) => {
  const { pools, submitAs } = setUp(t, { read: { batch: 1, queue: 1000 } })
  const [long, short] = [{}, {}]
  const milliseconds = (id: string) => (Number(id) < 300 ? 8 : 2)
  submitAs(long, 300)
  submitAs(short, 300)
  await turn()
  const spent = { long: 0, short: 0 }
  for (let i = 0; i < 200; i += 1) {
    const batch = pools.reads.batches[i]
    const id = batch?.requests[0]?.id ?? ''
    spent[Number(id) < 300 ? 'long' : 'short'] += milliseconds(id)
    batch?.finish(milliseconds(id))
    await turn()
  }
  t.ok(spent.long > 0 && spent.short > 0)
  t.ok(Math.abs(spent.long - spent.short) <= 16, JSON.stringify(spent))
})

t.test('what a client owes is not more than a second, and forgiven while it asks for nothing', async (t) => {
  let now = 0
  const lane = new LaneQueue(LIMITS, () => now)
  const ticket = (client: object, id: string): Ticket => ({
    client,
    method: 0,
    lane: 'read',
    id,
    params: '',
    preferences: preferencesOf('reference', 'cut'),
    deadline: 0,
    startedAt: 0,
    charged: 0,
    slot: -1,
    settled: false,
    sink: () => undefined,
  })
  const [long, other] = [{}, {}]
  const served = () => {
    const [taken] = lane.take(1)
    if (taken !== undefined) lane.ended(taken, taken.client === long ? 60_000 : 1)
    return taken?.id
  }
  lane.add(ticket(long, 'long'))
  served()
  t.equal(lane.queueOf(ticket(long, '')).deficit, -1000)
  lane.add(ticket(long, 'again'))
  for (let i = 0; i < 3; i += 1) lane.add(ticket(other, `other ${i}`))
  t.same([served(), served(), served(), served()], ['other 0', 'other 1', 'other 2', 'again'])
  now = 1100
  lane.add(ticket(long, 'forgiven'))
  t.equal(lane.queueOf(ticket(long, '')).deficit, 1, 'it comes back owing nothing')
  t.end()
})

t.test('who has the most in a full lane loses the newest to others, and is told', async (t) => {
  const { pools, submitAs, answers, dispatcher } = setUp(t, { read: { queue: 4, batch: 9 } })
  const [many, few] = [{}, {}]
  submitAs(many, 4)
  submitAs(few, 3)
  t.match(answers, [/^3 429 .*-32005/, /^2 429 .*-32005/, /^6 429 .*-32005/])
  t.equal(answers.length, 3)
  t.match(dispatcher.stats()['read'], { waiting: 4, refused: 3 })
  await turn()
  t.same(idsOf(pools.reads), ['0 1 4 5'])
})

t.test('what a worker did not begin goes again, before what the same client asked later', async (t) => {
  const { pools, submit, submitAs, answers, dispatcher } = setUp(t)
  submitAs({}, 3)
  await turn()
  submit()
  pools.reads.batches[0]?.finish(0, 1)
  await turn()
  t.same(answers, ['0 200 answer 0'])
  t.same(idsOf(pools.reads), ['0 1 2', '3 1 2'])
  pools.reads.batches[1]?.finish()
  await turn()
  t.equal(answers.length, 4)
  t.match(dispatcher.stats()['read'], { waiting: 0, running: 0, answered: 4 })
})

t.test('what a worker did not begin waits as before: dropped, it takes no slot', async (t) => {
  const { dispatcher, submit, answers, pools } = setUp(t)
  const [, , last, gone] = [submit(), submit(), submit(), submit()]
  await turn()
  // Nobody waits for it when it comes back.
  dispatcher.cancel(gone)
  // So long that the next one goes alone.
  pools.reads.batches[0]?.finish(30, 1)
  await turn()
  t.same(idsOf(pools.reads), ['0 1 2 3', '1'])
  t.match(dispatcher.stats()['read'], { waiting: 1, running: 1 })
  t.equal(last.startedAt, 0)
  dispatcher.cancel(last)
  t.match(dispatcher.stats()['read'], { waiting: 0, running: 1 })
  pools.reads.batches[1]?.finish()
  await turn()
  t.same(answers, ['0 200 answer 0', '1 200 answer 1'])
  t.match(dispatcher.stats()['read'], { waiting: 0, running: 0, answered: 2 })
  t.equal(pools.reads.batches.length, 2)
})

t.test('long requests go alone, and never have all workers while somebody else asks', async (t) => {
  const { pools, submit, submitAs } = setUp(t, {}, 2)
  const [long, short] = [{}, {}]
  submitAs(long, 1)
  await turn()
  pools.reads.batches[0]?.finish(100)
  await turn()
  submitAs(long, 3)
  await turn()
  t.same(idsOf(pools.reads), ['0', '1', '2'], 'alone it has both')
  for (const batch of pools.reads.batches) batch.finish(100)
  await turn()
  t.same(idsOf(pools.reads).slice(3), ['3'])
  submitAs(long, 2)
  submit('read', undefined, short)
  await turn()
  t.same(idsOf(pools.reads).slice(4), ['6'], 'the other worker is for others')
  pools.reads.batches[4]?.finish()
  await turn()
  t.same(idsOf(pools.reads).slice(5), [], 'and stays so')
  pools.reads.batches[3]?.finish(100)
  await turn()
  t.same(idsOf(pools.reads).slice(5), ['4'])
})

t.test('so it is with a newcomer, of whose requests nothing is known', async (t) => {
  const { pools, submit, submitAs } = setUp(t, { read: { batch: 1 } }, 2)
  submit()
  await turn()
  pools.reads.batches[0]?.finish(0)
  await turn()
  submitAs({}, 3)
  await turn()
  t.same(idsOf(pools.reads), ['0', '1'])
})

t.test("a newcomer's requests are expected to take what those of others took", async (t) => {
  for (const { milliseconds, batches } of [
    { milliseconds: 100, batches: ['1'] },
    { milliseconds: 0, batches: ['1 2 3'] },
  ]) {
    const { pools, submit, submitAs } = setUp(t)
    submit()
    await turn()
    pools.reads.batches[0]?.finish(milliseconds)
    await turn()
    for (let count = 0; count < 3; count += 1) submitAs({}, 1)
    await turn()
    t.same(idsOf(pools.reads).slice(1), batches)
  }
})

t.test('what nobody waits for takes no place in a full lane', async (t) => {
  const { pools, dispatcher, submit, answers } = setUp(t, { read: { queue: 2 } })
  submit()
  await turn()
  for (const ticket of [submit(), submit()]) dispatcher.cancel(ticket)
  t.match(dispatcher.stats()['read'], { waiting: 0, running: 1 })
  for (let count = 0; count < 1000; count += 1) dispatcher.cancel(submit())
  submit()
  submit()
  t.match(dispatcher.stats()['read'], { waiting: 2, refused: 0 })
  for (let batch = 0; batch < 3; batch += 1) {
    pools.reads.batches[batch]?.finish()
    await turn()
  }
  t.match(answers, [/^0 200/, /^1003 200/, /^1004 200/])
  t.match(dispatcher.stats()['read'], { waiting: 0, running: 0, answered: 3 })
})

t.test('lanes of a pool take turns', async (t) => {
  const { pools, submit } = setUp(t, { evm: { batch: 1 }, proof: { batch: 1 } })
  for (let i = 0; i < 3; i += 1) submit('evm')
  submit('proof')
  await turn()
  pools.calls.batches[0]?.finish()
  await turn()
  t.same(idsOf(pools.calls), ['0', '3'])
})

t.test('what is over its time is answered -32011 and told to stop', async (t) => {
  const { submit, answers, pools, flags } = setUp(t)
  const running = submit('read', performance.now() + 500)
  await turn()
  const { slot } = running
  const waiting = submit('read', performance.now() + 500)
  while (answers.length < 2) await new Promise((resolve) => setTimeout(resolve, 10))
  t.match(answers.join('\n'), /0 200 .*-32011.*\n1 200 .*-32011/)
  t.equal(flags[slot], 2)
  pools.reads.batches[0]?.finish()
  await turn()
  t.equal(answers.length, 2)
  t.ok(waiting.settled)
  t.equal(pools.reads.batches.length, 1)
})

t.test('what nobody waits for is dropped or told to stop', async (t) => {
  const { dispatcher, submit, answers, pools, flags } = setUp(t)
  const running = submit()
  await turn()
  const waiting = submit()
  dispatcher.cancel(running)
  dispatcher.cancel(waiting)
  t.equal(flags[running.slot], 1)
  pools.reads.batches[0]?.finish()
  await turn()
  t.same(answers, [])
  t.equal(pools.reads.batches.length, 1)
})

t.test('a lost batch is answered -32603 and the lane goes on', async (t) => {
  const { submit, answers, pools, lost } = setUp(t)
  submit()
  submit()
  await turn()
  pools.reads.batches[0]?.fail()
  await turn()
  t.match(answers, [/^0 200 .*-32603/, /^1 200 .*-32603/])
  t.equal(lost.length, 1)
  submit()
  await turn()
  pools.reads.batches[1]?.finish()
  await turn()
  t.equal(answers[2], '2 200 answer 2')
})

t.test('a worker that does not come back from its requests is given up', async (t) => {
  const { submit, answers, lost, pools } = setUp(t)
  submit('read', performance.now() + 500)
  await turn()
  submit('read')
  while (lost.length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
  t.match(lost, [{ message: /no answer 20 ms after the time limit/ }])
  t.match(answers, [/^0 200 .*-32011/])
  t.equal(pools.reads.batches.length, 2, 'its place is free')
  pools.reads.batches[1]?.finish()
  await turn()
  t.match(answers[1], /^1 200 answer 1/)
})
