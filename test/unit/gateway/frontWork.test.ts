import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { ClientWork } from '../../../src/gateway/scheduler/clientWork.ts'
import { FrontWork } from '../../../src/gateway/scheduler/frontWork.ts'

/** Milliseconds of a clock that only work moves. */
let now = 0

function spend(milliseconds: number): void {
  now += milliseconds
}

/** Work of some pieces, each of which takes a tenth of a millisecond; it notes when it is done. */
function pieces(count: number, done: () => void): (until: number) => boolean {
  let left = count
  return (until) => {
    while (left > 0 && now < until) {
      spend(0.1)
      left -= 1
    }
    if (left === 0) done()
    return left > 0
  }
}

t.test('a client begins a bounded number of requests in a turn, and goes on in the next', async (t) => {
  const front = new FrontWork(() => now)
  const [many, few] = [new ClientWork(), new ClientWork()]
  const begun = (client: ClientWork, times: number) =>
    Array.from({ length: times }, () => front.admits(client)).filter(Boolean).length
  t.equal(begun(many, 1000), 256)
  t.equal(begun(few, 10), 10, 'another client has its own')
  await nextTurn()
  t.equal(begun(many, 1000), 256)
})

t.test('every element of a batch is a request', async (t) => {
  const front = new FrontWork(() => now)
  const client = new ClientWork()
  t.ok(front.admits(client))
  front.used(client, 255, 0)
  t.notOk(front.admits(client))
  await nextTurn()
  t.ok(front.admits(client))
})

t.test(
  'the time of a turn is bounded for a client, and for all but for those that had none yet',
  async (t) => {
    const front = new FrontWork(() => now)
    const clients = Array.from({ length: 4 }, () => new ClientWork())
    const [first, second, third, fourth] = clients as [ClientWork, ClientWork, ClientWork, ClientWork]
    t.ok(front.admits(first))
    front.used(first, 0, 0.5)
    t.notOk(front.admits(first))
    t.equal(front.limitOf(first), now)
    t.ok(front.admits(second))
    t.ok(front.limitOf(second) > now)
    front.used(second, 0, 0.25)
    t.ok(front.admits(second))
    t.ok(front.admits(third))
    front.used(third, 0, 0.375)
    t.notOk(front.admits(second), 'all together have had their time')
    t.ok(front.admits(fourth), 'this one had nothing yet')
    t.equal(front.limitOf(fourth), now, 'a batch of it begins later')
    await nextTurn()
    t.ok(clients.every((client) => front.admits(client)))
  },
)

t.test(
  'work that was put off is done by turns, and who comes late does not wait for all of it',
  async (t) => {
    const front = new FrontWork(() => now)
    const order: string[] = []
    const heavy = ['a', 'b', 'c'].map((name) => {
      const client = new ClientWork()
      for (let i = 0; i < 20; i += 1)
        front.later(
          client,
          pieces(20, () => order.push(name)),
        )
      return client
    })
    t.equal(front.waiting, 3)
    for (let turn = 0; turn < 3; turn += 1) await nextTurn()
    t.notOk(
      heavy.some((client) => front.admits(client)),
      'what comes now waits behind what waits already',
    )
    const light = new ClientWork()
    t.ok(front.admits(light), 'a client without work is not concerned')
    let isDone = false
    front.later(light, () => {
      isDone = true
      return false
    })
    const before = order.length
    await nextTurn()
    await nextTurn()
    t.ok(isDone)
    t.ok(order.length - before <= 3, 'the others did little meanwhile')
    while (front.waiting > 0) await nextTurn()
    t.equal(order.length, 60)
    const firstHalf = order.slice(0, 30)
    for (const name of ['a', 'b', 'c']) {
      t.ok(firstHalf.filter((one) => one === name).length >= 8, `${name} had its part`)
    }
    t.ok(heavy.every((client) => front.admits(client)))
  },
)

t.test('work that cannot be divided is paid for by turns that are passed over', async (t) => {
  const front = new FrontWork(() => now)
  const [long, short] = [new ClientWork(), new ClientWork()]
  const order: string[] = []
  for (let i = 0; i < 3; i += 1) {
    front.later(long, () => {
      spend(5)
      order.push('long')
      return false
    })
  }
  for (let i = 0; i < 20; i += 1) {
    front.later(short, () => {
      spend(0.1)
      order.push('short')
      return false
    })
  }
  while (front.waiting > 0) await nextTurn()
  t.equal(order.length, 23)
  t.ok(order.lastIndexOf('short') < order.lastIndexOf('long'))
})

t.test('very many pieces of one client keep their order', async (t) => {
  const front = new FrontWork(() => now)
  const client = new ClientWork()
  const seen: number[] = []
  for (let i = 0; i < 5000; i += 1) {
    front.later(client, () => {
      seen.push(i)
      return false
    })
  }
  while (front.waiting > 0) await nextTurn()
  t.same(
    seen,
    Array.from({ length: 5000 }, (_, i) => i),
  )
})

t.test('what is left of work is done before the next work of the same client', async (t) => {
  const front = new FrontWork(() => now)
  const client = new ClientWork()
  const order: string[] = []
  for (const name of ['a', 'b', 'c']) {
    front.later(client, () => {
      order.push(`${name} begins`)
      front.later(
        client,
        pieces(5, () => order.push(`${name} ends`)),
      )
      return false
    })
  }
  while (front.waiting > 0) await nextTurn()
  t.same(
    order,
    ['a', 'b', 'c'].flatMap((name) => [`${name} begins`, `${name} ends`]),
  )
})
