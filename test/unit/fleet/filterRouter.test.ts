import t from 'tap'
import { CallRefusal, FleetError } from '../../../src/fleet/errors.ts'
import { encodeFilterCall, NO_FILTER } from '../../../src/fleet/filters/filterCalls.ts'
import { FilterHolders } from '../../../src/fleet/filters/filterHolders.ts'
import { createFilterId, parseFilterId } from '../../../src/fleet/filters/filterId.ts'
import { FILTER_SERVICES, type FilterPartPorts, FilterRouter } from '../../../src/fleet/filters/filterPart.ts'
import { encodeRows } from '../../../src/fleet/filters/filterRows.ts'
import type { MemberId } from '../../../src/fleet/interface.ts'
import type { FleetCall, FleetView } from '../../../src/fleet/part.ts'
import { createLogger } from '../../../src/observe/logger.ts'

const SELF = '1'.repeat(16)
const OTHER = '2'.repeat(16)
const THIRD = '3'.repeat(16)
const idOf = (number: number) => parseFilterId(createFilterId(number)) ?? Buffer.alloc(16)
const HEAD = { revision: 1, hash: Buffer.alloc(32, 7) }
const pollOf = (number: number) => encodeFilterCall({ what: 'poll', id: idOf(number), head: HEAD })

/** A bucket in memory. */
function memoryBucket() {
  const values = new Map<string, { readonly value: Uint8Array; readonly revision: number }>()
  let gets = 0
  const bucket = {
    get: async (key: string) => {
      gets += 1
      const entry = values.get(key)
      return entry === undefined ? null : { ...entry, operation: 'PUT' }
    },
    put: async (key: string, value: string) => {
      const revision = (values.get(key)?.revision ?? 0) + 1
      values.set(key, { value: Buffer.from(value), revision })
      return revision
    },
  } as unknown as ConstructorParameters<typeof FilterHolders>[0]
  return { bucket, values, gets: () => gets }
}

interface Scene {
  readonly members: Readonly<Record<MemberId, (call: FleetCall) => Buffer>>
  readonly front?: (service: string, payload: Buffer) => Buffer
  readonly serving?: readonly MemberId[]
}

function openRouter({ members, front = () => NO_FILTER, serving = [SELF, OTHER, THIRD] }: Scene) {
  const numbers: Readonly<Record<number, MemberId>> = { 1: SELF, 2: OTHER, 3: THIRD }
  const { bucket, gets } = memoryBucket()
  const clock = { now: 0 }
  const holders = new FilterHolders(bucket, () => clock.now)
  const asked: string[] = []
  const counts: Record<string, number> = {}
  const ports: FilterPartPorts = {
    calls: {
      serve: () => () => undefined,
      call: async (member, call) => {
        asked.push(`${member[0]}.${call.service}`)
        const answer = members[member]
        if (answer === undefined) throw new Error('away')
        return answer(call)
      },
    },
    view: {
      self: SELF,
      serving,
      memberOf: (number: number) => numbers[number] ?? null,
    } as unknown as FleetView,
    front: {
      hold: async () => undefined,
      ping: async () => undefined,
      answer: async (service, payload) => {
        asked.push(`front.${service}`)
        return front(service, payload)
      },
    },
    log: createLogger({ level: 'silent', format: 'json' }),
    count: (name, by = 1) => {
      counts[name] = (counts[name] ?? 0) + by
    },
    holders,
    reader: { between: async () => Buffer.alloc(0) },
  }
  return { router: new FilterRouter(ports), holders, asked, counts, clock, gets }
}

t.test(
  'the member that made a filter is asked, then those that took over filters of its number',
  async (t) => {
    const found = Buffer.from('found')
    const { router, holders, asked } = openRouter({
      members: { [OTHER]: () => NO_FILTER, [THIRD]: () => found },
    })
    t.same(await router.ask(pollOf(3)), found)
    t.same(asked, ['3.filter'])
    asked.length = 0
    t.same(await router.ask(pollOf(2)), NO_FILTER)
    await holders.add(2, THIRD)
    await holders.add(2, SELF)
    asked.length = 0
    t.same(await router.ask(pollOf(2)), found)
    t.same(asked, ['2.filter', 'front.filter', '3.filter'], 'whoever took over last comes first')
  },
)

t.test('a member that is away is an error, unless another one has the filter', async (t) => {
  const found = Buffer.from('found')
  const { router, holders } = openRouter({ members: { [THIRD]: () => found } })
  await t.rejects(router.ask(pollOf(2)), { code: 'NoMember' })
  await holders.add(2, THIRD)
  t.same(await router.ask(pollOf(2)), found)
  t.same(await router.ask(pollOf(9)), NO_FILTER, 'a number that nobody has')
})

t.test('who has filters is looked up once in a while, not with every poll', async (t) => {
  const { router, clock, gets } = openRouter({ members: {} })
  for (let polls = 0; polls < 10; polls += 1) await router.ask(pollOf(9))
  t.equal(gets(), 1)
  clock.now = 10_000
  await router.ask(pollOf(9))
  t.equal(gets(), 2)
})

t.test('filters are handed over piece by piece, to whoever takes them, and recorded first', async (t) => {
  const position = { block: { number: 1, hash: Buffer.alloc(32) }, sequence: 0 }
  const row = (number: number) => ({
    id: idOf(number),
    filter: { kind: 'blocks' as const, logs: null, start: position },
    position,
  })
  const pieces = [encodeRows([row(1), row(1)]), encodeRows([row(2)])]
  let refusals = 0
  const { router, holders, asked, counts } = openRouter({
    front: (service) =>
      service === FILTER_SERVICES.handOut ? (pieces.shift() ?? Buffer.alloc(0)) : NO_FILTER,
    members: {
      [OTHER]: () => {
        refusals += 1
        return Buffer.from([0])
      },
      [THIRD]: () => Buffer.from([1]),
    },
  })
  await router.drain()
  t.equal(refusals, 2)
  t.same(counts, { filters_handed_over: 3 })
  t.same((await holders.of(1))[0], THIRD)
  t.same((await holders.of(2))[0], THIRD)
  t.same(asked.at(-1), 'front.handOutFilters')
})

t.test('filters that a member may have taken are given to nobody else', async (t) => {
  const position = { block: { number: 1, hash: Buffer.alloc(32) }, sequence: 0 }
  const piece = encodeRows([
    { id: idOf(1), filter: { kind: 'blocks', logs: null, start: position }, position },
  ])
  const handOver = async (failure: Error) => {
    const pieces = [piece]
    const { router, asked, counts } = openRouter({
      front: (service) =>
        service === FILTER_SERVICES.handOut ? (pieces.shift() ?? Buffer.alloc(0)) : Buffer.from([1]),
      members: {
        [OTHER]: () => {
          throw failure
        },
        [THIRD]: () => Buffer.from([1]),
      },
    })
    await router.drain()
    return { calls: asked.filter((one) => one.endsWith(FILTER_SERVICES.adopt)), counts }
  }
  for (const failure of [
    new FleetError('Timeout', 'no answer'),
    new FleetError('Unreachable', 'cut off'),
    new CallRefusal('internal', 'its front thread did not answer'),
  ]) {
    const { calls, counts } = await handOver(failure)
    t.same(calls, ['2.adoptFilters'], failure.message)
    t.same(counts, { filters_perhaps_lost: 1 })
  }
  for (const failure of [new FleetError('NoMember', 'away'), new CallRefusal('busy', 'too many')]) {
    const { calls, counts } = await handOver(failure)
    t.same(calls, ['2.adoptFilters', '3.adoptFilters'], failure.message)
    t.same(counts, { filters_handed_over: 1 })
  }
})

t.test('filters that nobody takes stay where they are', async (t) => {
  const position = { block: { number: 1, hash: Buffer.alloc(32) }, sequence: 0 }
  const piece = encodeRows([
    { id: idOf(1), filter: { kind: 'blocks', logs: null, start: position }, position },
  ])
  const kept: Buffer[] = []
  const { router } = openRouter({
    serving: [SELF],
    members: {},
    front: (service, payload) => {
      if (service === FILTER_SERVICES.handOut) return piece
      kept.push(payload)
      return Buffer.from([1])
    },
  })
  await router.drain()
  t.same(kept, [piece])
})
