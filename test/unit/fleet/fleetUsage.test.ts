import t, { type Test } from 'tap'
import { AccessStore } from '../../../src/storage/access/accessStore.ts'
import type { SumRow } from '../../../src/storage/access/sumCopy.ts'
import {
  DELTA_BYTES,
  decodeDelta,
  encodeDelta,
  type UsageDelta,
} from '../../../src/storage/access/usageDelta.ts'
import type { DayUsage, MethodUsage } from '../../../src/storage/access/usageRecord.ts'
import { keyRecord } from '../../support/keyRecords.ts'

const ADA = 'aaaaaaaaaaaaaaaa'
const BOB = 'bbbbbbbbbbbbbbbb'
const ONE: MethodUsage = { count: 1, cost: 2, bytes: 3, errors: 0, refused: 4 }
const PAGE_BYTES = 40

function openStore(t: Test, dataDir = t.testdir(), fleet = true) {
  const store = AccessStore.open({ dataDir, fleet })
  t.teardown(() => store.close())
  return store
}

function row(id: string, day: number, times = 1): DayUsage {
  const usage = Object.fromEntries(Object.entries(ONE).map(([name, figure]) => [name, figure * times]))
  return { id, day, methods: new Map([['eth_call', usage as unknown as MethodUsage]]) }
}

function countOf(store: AccessStore, id: string, day = 5): number {
  return store.usage(id, day, day)[0]?.methods.get('eth_call')?.count ?? 0
}

/** Last delta of a member that came back to it. */
function returned(store: AccessStore): number {
  const mark = store.fleetUsage.mark()
  return mark === null ? 0 : store.fleetUsage.lastOf(mark)
}

/** The stream in memory: what is published gets the next position, however often. */
class MemoryStream {
  readonly deltas: UsageDelta[] = []

  async publish(store: AccessStore, from = returned(store) + 1): Promise<void> {
    while (await store.fleetUsage.seal());
    for (const { payload } of store.fleetUsage.outbox(from)) this.deltas.push(decodeDelta(payload))
  }

  consume(store: AccessStore, from = store.fleetUsage.mark()?.position ?? 0) {
    const place = { stream: 's', position: this.deltas.length, storedAt: 'x' }
    return store.fleetUsage.consume(this.deltas.slice(from), place)
  }
}

t.test('what members count is the sum of all, once, however often it comes', async (t) => {
  const [ada, bob] = [openStore(t), openStore(t, t.testdir({ bob: {} }))]
  await ada.fleetUsage.join('f', ADA)
  await bob.fleetUsage.join('f', BOB)
  const stream = new MemoryStream()
  await ada.addUsage([row('k', 5, 2), row('other', 5)])
  await bob.addUsage([row('k', 5, 3), row('k', 6)])
  t.equal(countOf(ada, 'k'), 2, 'the own part is there at once')
  await stream.publish(ada)
  await stream.publish(bob)
  await stream.publish(ada)
  t.same(await stream.consume(ada), { added: 2, doubles: 1, missing: [] })
  t.same(await stream.consume(ada, 0), { added: 0, doubles: 3, missing: [] })
  await stream.consume(bob)
  for (const store of [ada, bob]) {
    t.equal(countOf(store, 'k'), 5)
    t.equal(countOf(store, 'k', 6), 1)
    t.equal(countOf(store, 'other'), 1)
    t.same(store.usedIds(), ['k', 'other'])
    t.same(store.fleetUsage.ownIds(), [], 'nothing is its own any more')
  }
  await ada.addUsage([row('k', 5)])
  t.equal(countOf(ada, 'k'), 6)
})

t.test('what was counted before a node joined counts for the fleet', async (t) => {
  const dataDir = t.testdir()
  const alone = AccessStore.open({ dataDir })
  await alone.addUsage([row('k', 5, 7)])
  await alone.close()
  const store = openStore(t, dataDir)
  await store.fleetUsage.join('f', ADA)
  t.equal(countOf(store, 'k'), 7)
  const stream = new MemoryStream()
  await stream.publish(store)
  await stream.consume(store)
  t.equal(countOf(store, 'k'), 7)
  t.same(
    stream.deltas.map(({ sequence, rows }) => [sequence, rows[0]?.id]),
    [[1, 'k']],
  )
  await t.rejects(store.fleetUsage.join('g', ADA), { code: 'ACCESS_OTHER_FLEET' })
})

t.test('a copy of the store of another member publishes nothing of that one', async (t) => {
  const store = openStore(t)
  await store.fleetUsage.join('f', ADA)
  await store.addUsage([row('k', 5)])
  await store.fleetUsage.seal()
  await store.addUsage([row('k', 5)])
  const before = store.fleetUsage.mark()
  await store.fleetUsage.join('f', BOB)
  t.same(store.fleetUsage.outbox(1), [])
  t.equal(countOf(store, 'k'), 0)
  t.not(store.fleetUsage.mark()?.epoch, before?.epoch)
  await store.addUsage([row('k', 5)])
  await store.fleetUsage.seal()
  t.equal(store.fleetUsage.outbox(1).length, 1)
})

t.test('a delta is left out until those before it are there', async (t) => {
  const store = openStore(t)
  await store.fleetUsage.join('f', ADA)
  const epoch = 'cccccccccccccccc'
  const delta = (sequence: number): UsageDelta => ({ member: BOB, epoch, sequence, rows: [row('k', 5)] })
  const place = { stream: 's', position: 9, storedAt: '' }
  await store.fleetUsage.consume([delta(4)], { ...place, position: 3 })
  t.same(await store.fleetUsage.consume([delta(6), delta(7)], place), {
    added: 0,
    doubles: 0,
    missing: [6, 7].map((sequence) => ({ member: BOB, epoch, sequence })),
  })
  t.equal(countOf(store, 'k'), 1)
  t.equal(store.fleetUsage.mark()?.position, 3, 'the sum goes no further than where one is missing')
  await store.fleetUsage.consume([delta(5), delta(6), delta(7)], place)
  t.equal(countOf(store, 'k'), 4)
  t.equal(store.fleetUsage.mark()?.position, 9)
  await store.fleetUsage.consume([delta(10)], { ...place, position: 12 }, { skipsMissing: true })
  t.equal(countOf(store, 'k'), 5)
  t.equal(store.fleetUsage.mark()?.position, 12, 'unless it is given up')
  await store.addUsage([row('k', 5)])
  t.equal(store.fleetUsage.hasUnsent(), true)
  t.equal(
    store.summedUsage('k', 5, 5)[0]?.methods.get('eth_call')?.count,
    5,
    'the own part is not in the sum',
  )
  await store.fleetUsage.seal()
  t.equal(store.fleetUsage.hasUnsent(), false)
})

t.test('a member that was away for too long takes the sum of another one', async (t) => {
  const [ada, bob] = [openStore(t), openStore(t, t.testdir({ bob: {} }))]
  await ada.fleetUsage.join('f', ADA)
  await bob.fleetUsage.join('f', BOB)
  const stream = new MemoryStream()
  await ada.addUsage([row('a', 5), row('b', 5), row('c', 5), row('k', 5)])
  await bob.addUsage([row('k', 5)])
  await stream.publish(bob)
  await bob.addUsage([row('k', 5)])
  await stream.publish(ada)
  await stream.consume(ada)
  const copy = ada.fleetUsage.openCopy()
  const head = copy.hold()
  if (head === null) throw new Error('no head')
  await ada.addUsage([row('k', 5)])
  await stream.publish(ada)
  await stream.consume(ada)
  const theirs = bob.fleetUsage.openCopy()
  await theirs.begin()
  let after: Buffer | null = null
  let pages = 0
  do {
    const page: { rows: readonly SumRow[]; next: Buffer | null } = copy.page(after, PAGE_BYTES)
    await theirs.keep(page.rows)
    after = page.next
    pages += 1
  } while (after !== null)
  copy.release()
  t.equal(pages, 4, 'the rows of the moment when it was held')
  t.ok(await bob.fleetUsage.takeOver(head))
  t.equal(countOf(bob, 'k'), 3, 'of both members, and what bob counted since')
  await stream.consume(bob)
  t.equal(countOf(bob, 'k'), 4)
  t.equal(countOf(bob, 'a'), 1)
  t.notOk(await bob.fleetUsage.takeOver(head), 'an older sum is refused')
  t.equal(countOf(bob, 'k'), 4)
})

t.test('more than the window stays without sequence, and deltas stay within their size', async (t) => {
  const store = openStore(t)
  await store.fleetUsage.join('f', ADA)
  const methods = new Map(Array.from({ length: 200 }, (_, place) => [`method_${place}`.padEnd(40, 'x'), ONE]))
  await store.addUsage(Array.from({ length: 500 }, (_, day) => ({ id: 'k', day, methods })))
  while (await store.fleetUsage.seal());
  const deltas = store.fleetUsage.outbox(1)
  t.equal(deltas.length, 32)
  t.ok(deltas.every(({ payload }) => payload.length <= DELTA_BYTES))
  const stream = new MemoryStream()
  for (let turn = 0; turn < 3; turn += 1) {
    await stream.publish(store)
    await stream.consume(store)
  }
  t.same(store.fleetUsage.ownIds(), [])
  t.equal(store.usage('k', 0, 499).length, 500)
  t.ok(store.fleetUsage.outbox(1).length <= 33, 'only the last ones are kept')
})

t.test('what is no delta is refused', (t) => {
  const good: UsageDelta = { member: ADA, epoch: BOB, sequence: 1, rows: [row('k', 5)] }
  t.same(decodeDelta(encodeDelta(good)), good)
  const broken = (change: Record<string, unknown>) =>
    Buffer.from(JSON.stringify({ ...(JSON.parse(encodeDelta(good).toString()) as object), ...change }))
  const cases = [
    { format: 2 },
    { member: 'x' },
    { epoch: 7 },
    { sequence: 0 },
    { sequence: 1.5 },
    { rows: {} },
    { rows: [['k', 5]] },
    { rows: [['', 5, {}]] },
    { rows: [['k\0', 5, {}]] },
    { rows: [['k', -1, {}]] },
    { rows: [['k', 5, { eth_call: [1, 2, 3, 4] }]] },
    { rows: [['k', 5, { eth_call: [-1, 2, 3, 4, 5] }]] },
  ]
  for (const change of cases)
    t.throws(() => decodeDelta(broken(change)), { code: 'ACCESS_DAMAGED' }, JSON.stringify(change))
  t.throws(() => decodeDelta(Buffer.from('{')), { code: 'ACCESS_DAMAGED' })
  t.throws(() => decodeDelta(Buffer.alloc(DELTA_BYTES + 1, 0x20)), { code: 'ACCESS_DAMAGED' })
  t.end()
})

t.test('keys of a fleet and of the node alone are never in force together', (t) => {
  const dataDir = t.testdir()
  const store = openStore(t, dataDir)
  store.create(keyRecord('local'))
  t.ok(store.takeFleetKeys([keyRecord('a'), keyRecord('b')], true))
  const revision = store.revision()
  t.notOk(store.takeFleetKeys([keyRecord('b')], false))
  t.equal(store.revision(), revision)
  const states = (of: AccessStore) =>
    of.keys().map(({ id, disabled, fromFleet }) => [id, disabled, fromFleet])
  t.same(states(store), [
    ['a', false, true],
    ['b', false, true],
    ['local', true, false],
  ])
  t.ok(store.takeFleetKeys([keyRecord('b')], true), 'a key that is missing of the whole ends')
  t.throws(() => store.update('b', (key) => key), { code: 'ACCESS_FROM_FLEET' })
  t.same(states(openStore(t, dataDir, false)), [
    ['local', false, false],
    ['a', true, true],
    ['b', true, true],
  ])
  t.end()
})
