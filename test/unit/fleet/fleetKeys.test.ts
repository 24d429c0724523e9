import t from 'tap'
import { AccessStore } from '../../../src/storage/access/accessStore.ts'
import {
  changesKey,
  createsKey,
  decodeFleetKey,
  encodeFleetKey,
  type FleetKey,
  holdsOver,
} from '../../../src/storage/access/fleetKey.ts'
import type { KeyRecord } from '../../../src/storage/access/keyRecord.ts'
import { keyRecord } from '../../support/keyRecords.ts'
import { createRandom } from '../../support/random.ts'

const ids = ['aaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbb', 'cccccccccccccccc']

function record(
  { counter = 1, time = 1, member = ids[0] as string, isRemoved = false } = {},
  more: Partial<KeyRecord> = {},
): FleetKey {
  const disabled = isRemoved || (more.disabled ?? false)
  return {
    key: keyRecord('k', { fromFleet: true, ...more, disabled }),
    version: { counter, time, member },
    isRemoved,
  }
}

t.test('the higher version holds; of equal ones the one that permits less, then the smaller member', (t) => {
  const cases: [string, FleetKey, FleetKey][] = [
    ['counter', record({ counter: 2 }), record({ counter: 1, time: 9 }, { disabled: true })],
    ['time', record({ time: 2 }), record({ time: 1 }, { disabled: true })],
    ['removed', record({ isRemoved: true }), record({}, { disabled: true })],
    ['disabled', record({}, { disabled: true }), record({}, { modules: new Set() })],
    ['modules', record({}, { modules: new Set(['eth']) }), record()],
    ['methods', record({}, { methods: new Set(['a']) }), record({}, { methods: new Set(['a', 'b']) })],
    ['origins', record({}, { origins: new Set(['x']) }), record()],
    ['old secret', record(), record({}, { previous: { hash: Buffer.alloc(32), until: 5 } })],
    [
      'rate',
      record({}, { limits: { ...keyRecord('k').limits, rate: 5 } }),
      record({}, { limits: { ...keyRecord('k').limits, rate: 0 } }),
    ],
    ['member', record({ member: ids[0] as string }), record({ member: ids[1] as string })],
    ['content', record({}, { name: 'a' }), record({}, { name: 'b' })],
  ]
  for (const [what, one, other] of cases) {
    t.ok(holdsOver(one, other), what)
    t.notOk(holdsOver(other, one), `${what}, the other way`)
    t.notOk(holdsOver(one, one), `${what}: the same does not`)
  }
  t.end()
})

t.test('records are read as they were written; those of before have no version', (t) => {
  const one = record({ counter: 7, time: 1_795_000_000_000, member: ids[2] as string }, { name: 'Ada' })
  t.same(decodeFleetKey('k', encodeFleetKey(one)), one)
  const removed = record({ isRemoved: true })
  t.same(decodeFleetKey('k', encodeFleetKey(removed)), removed)
  const plain = JSON.parse(encodeFleetKey(one).toString()) as Record<string, unknown>
  const bytes = (more: object) => Buffer.from(JSON.stringify({ ...plain, ...more }))
  t.same(decodeFleetKey('k', bytes({ version: undefined })).version, { counter: 0, time: 0, member: '' })
  for (const version of [[1, 2], [-1, 2, ''], [1, 'x', ''], [1, 2, 'nobody'], 'x', [1.5, 2, '']])
    t.throws(() => decodeFleetKey('k', bytes({ version })), { code: 'ACCESS_DAMAGED' }, String(version))
  t.equal(decodeFleetKey('k', bytes({ isRemoved: true, disabled: false })).key.disabled, true)
  t.end()
})

t.test('changes raise the version, and what was removed is made anew and nothing else', (t) => {
  const [member = ''] = ids
  const made = createsKey(keyRecord('k'), member)(null)
  t.match(made.version, { counter: 1, member })
  t.throws(() => createsKey(keyRecord('k'), member)(made), { code: 'ACCESS_TAKEN' })
  t.throws(() => changesKey('k', null, member)(null), { code: 'ACCESS_UNKNOWN_KEY' })
  const removed = changesKey('k', null, member)(made)
  t.match(removed, { isRemoved: true, key: { disabled: true }, version: { counter: 2 } })
  t.throws(() => changesKey('k', (key) => key, member)(removed), { code: 'ACCESS_UNKNOWN_KEY' })
  t.match(createsKey(keyRecord('k'), member)(removed), { isRemoved: false, version: { counter: 3 } })
  t.end()
})

t.test('any order in which stores hear records ends at the same one', async (t) => {
  const random = createRandom(31)
  const below = (most: number) => Math.floor(random() * most)
  const pick = <T>(from: readonly T[]) => from[below(from.length)] as T
  const folder = t.testdir({ a: {}, b: {} })
  const stores = ['a', 'b'].map((name) => AccessStore.open({ dataDir: `${folder}/${name}`, fleet: true }))
  t.teardown(() => Promise.all(stores.map((store) => store.close())))
  for (let round = 0; round < 20; round += 1) {
    const id = `k${round}`
    const records = Array.from({ length: 8 }, () => {
      const version = { counter: pick([1, 2]), time: pick([1, 2]), member: pick(ids) }
      const limits = { ...keyRecord('k').limits, rate: pick([0, 5, null]) }
      const isRemoved = pick([true, false, false])
      const one = record(
        { ...version, isRemoved },
        { name: pick(['x', 'y']), disabled: pick([true, false]), limits },
      )
      return { ...one, key: { ...one.key, id } }
    })
    for (const store of stores) {
      const left = [...records]
      while (left.length > 0) store.takeFleetKeys(left.splice(below(left.length), 1))
    }
    const [one, other] = stores.map((store) => store.fleetKeys().find(({ key }) => key.id === id))
    t.same(one, other)
    t.ok(
      records.every((heard) => one !== undefined && !holdsOver(heard, one)),
      'none holds over it',
    )
  }
  const [store] = stores as [AccessStore]
  const { length } = store.keys()
  const before = store.revision()
  t.equal(store.takeFleetKeys(store.fleetKeys()), false, 'what is known changes nothing')
  t.equal(store.revision(), before)
  t.equal(length, 20, 'what was removed is there, disabled: nobody is let in for want of keys')
})
