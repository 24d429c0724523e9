import fc from 'fast-check'
import t from 'tap'
import { clientOfBytes, clientOfText, TrustedProxies } from '../../../src/gateway/access/clientAddress.ts'
import { ClientTable } from '../../../src/gateway/access/clientTable.ts'
import { UNLIMITED } from '../../../src/gateway/access/limits.ts'
import { UNLIMITED_MEMORY } from '../../../src/gateway/access/memoryAccount.ts'
import type { OthersUse, OwnUse } from '../../../src/gateway/access/othersUse.ts'
import { TokenBucket } from '../../../src/gateway/access/tokenBucket.ts'
import { UsageReports } from '../../../src/gateway/access/usageReport.ts'
import { METHODS } from '../../../src/rpc/methods.ts'
import { NO_OWN_LIMITS } from '../../../src/storage/access/keyRecord.ts'
import { indexOf, openAccess, requestOf } from '../../support/accessScene.ts'
import { keyRecord } from '../../support/keyRecords.ts'

const HOUR = 3_600_000
const at = (text: string) => Date.parse(text)
const ada = (limits = {}) => keyRecord('ada', { limits: { ...NO_OWN_LIMITS, ...limits } })
const PATH = '/ada-secret'

t.test('a bucket never gives more than rate times time and its burst', (t) => {
  const steps = fc.array(
    fc.record({ wait: fc.integer({ min: -50, max: 2000 }), units: fc.integer({ min: 1, max: 40 }) }),
    { maxLength: 200 },
  )
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 100 }),
      fc.integer({ min: 1, max: 200 }),
      steps,
      (rate, burst, list) => {
        let now = 0
        let latest = 0
        const bucket = new TokenBucket(rate, burst, 0)
        const taken: { at: number; units: number }[] = []
        for (const { wait, units } of list) {
          now += wait
          latest = Math.max(latest, now)
          if (bucket.take(units, now)) taken.push({ at: latest, units })
        }
        taken.forEach((first, begin) => {
          let sum = 0
          for (const { at: time, units } of taken.slice(begin)) {
            sum += units
            if (sum > (rate * (time - first.at)) / 1000 + burst + 1e-6) throw new Error(`${sum} units`)
          }
        })
      },
    ),
  )
  t.end()
})

t.test('a bucket says how long to wait, and is right', (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 50 }), (rate, units) => {
      const bucket = new TokenBucket(rate, 50, 0)
      bucket.take(50, 0)
      const wait = bucket.wait(units, 0)
      if (bucket.take(units, wait - 1)) throw new Error('before its time')
      if (!bucket.take(units, wait + 1e-6)) throw new Error('not even then')
    }),
  )
  t.equal(new TokenBucket(5, 50, 0).wait(51, 0), Number.POSITIVE_INFINITY)
  t.end()
})

t.test('requests over the rate are refused until the time that was told', (t) => {
  const { caller, charge, clock } = openAccess([ada({ rate: 10, burst: 20 })])
  const who = caller(PATH)
  for (let times = 0; times < 4; times += 1) t.equal(charge(who, 'eth_call'), null)
  const refusal = charge(who, 'eth_call')
  t.match(refusal, { kind: 'limited', data: { limit: 'rate', retryAfter: 0.5, see: 'GET /<API_KEY>/usage' } })
  t.equal(who.account.retryAfter(), 1)
  t.same(who.account.rateLimitHeaders(), { policy: '"rate";q=20;w=2', state: '"rate";r=0;t=2' })
  t.equal(charge(who, 'eth_chainId')?.kind, 'limited')
  clock.monotonic += 500
  clock.wall -= HOUR
  t.equal(charge(who, 'eth_call'), null, 'whatever the wall clock says')
  const dear = charge(who, 'trace_filter')
  t.match(dear?.message, /costs \d+ units, more than the 20 that are ever there at once/)
  t.notMatch(dear?.data, { retryAfter: Number })
  t.end()
})

t.test('requests that are charged together are charged as one by one, or not at all', (t) => {
  const names = ['eth_chainId', 'eth_call', 'eth_getLogs']
  const groups = fc.array(fc.tuple(fc.constantFrom(...names), fc.integer({ min: 1, max: 8 })), {
    minLength: 1,
    maxLength: 12,
  })
  const limits = fc.record({
    rate: fc.constantFrom(0, 10),
    burst: fc.integer({ min: 20, max: 200 }),
    dailyQuota: fc.constantFrom(0, 60, 200),
  })
  const outcomes = new Set<boolean>()
  fc.assert(
    fc.property(groups, limits, (list, limit) => {
      const [together, single] = [openAccess([ada(limit)]), openAccess([ada(limit)])]
      const [who, other] = [together.caller(PATH), single.caller(PATH)]
      for (const [name, requests] of list) {
        const before = together.admission.stats(5)
        const isCharged = together.admission.chargeAll(who, indexOf(name), requests)
        outcomes.add(isCharged)
        if (!isCharged) {
          t.same(together.admission.stats(5), before)
          for (let place = 0; place < requests; place += 1) together.charge(who, name)
        }
        const refusals = Array.from({ length: requests }, () => single.charge(other, name))
        t.equal(
          refusals.every((refusal) => refusal === null),
          isCharged,
        )
        t.same(together.admission.stats(5), single.admission.stats(5))
        t.equal(who.account.leftToday, other.account.leftToday)
      }
    }),
  )
  t.same([...outcomes].sort(), [false, true])
  t.end()
})

t.test('what is refused for another reason is not charged together', (t) => {
  const { admission, caller, charge, book } = openAccess([
    keyRecord('ada', { methods: new Set(['eth_chainId']), limits: { ...NO_OWN_LIMITS, concurrency: 1 } }),
  ])
  const who = caller(PATH)
  t.equal(admission.chargeAll(who, indexOf('eth_chainId'), 3), true)
  t.equal(admission.chargeAll(who, indexOf('eth_call'), 3), false, 'its key does not open it')
  who.begin()
  who.begin()
  t.equal(admission.chargeAll(who, indexOf('eth_chainId'), 3), false, 'too many at once')
  who.end()
  book.set([])
  admission.refresh()
  t.equal(admission.chargeAll(who, indexOf('eth_chainId'), 3), false, 'its key ended')
  t.equal(charge(who, 'eth_chainId')?.kind, 'unauthorized')
  t.end()
})

t.test('the daily quota ends and begins with the day of its place', async (t) => {
  const start = at('2026-10-25T12:00:00Z')
  const { admission, caller, charge, clock } = openAccess(
    [ada({ dailyQuota: 10 })],
    {},
    { wall: start, timezone: 'Europe/Zurich' },
  )
  const who = caller(PATH)
  const use = () => charge(who, 'eth_call')
  t.equal(use(), null)
  t.equal(use(), null)
  t.match(use(), { data: { limit: 'dailyQuota', retryAfter: (11 * HOUR) / 1000 } })
  t.equal(who.account.retryAfter(), (11 * HOUR) / 1000)
  t.same(who.account.rateLimitHeaders(), { policy: '"daily";q=10;w=86400', state: '"daily";r=0;t=39600' })
  clock.wall = at('2026-10-25T22:59:59.999Z')
  admission.refresh()
  t.ok(use(), 'one millisecond before midnight')
  clock.wall += 1
  admission.refresh()
  t.equal(use(), null, 'a new day')
  await admission.flush()
  clock.wall = start
  admission.refresh()
  t.match(use(), { data: { limit: 'dailyQuota' } }, 'back on the day before, whose quota is used up')
  clock.wall = at('2026-10-26T12:00:00Z')
  admission.refresh()
  t.equal(who.account.leftToday, 5, 'forward again')
  t.equal(use(), null)
  t.ok(use())
})

t.test('the quota goes on after a restart', async (t) => {
  const first = openAccess([ada({ dailyQuota: 10 })])
  t.equal(first.charge(first.caller(PATH), 'eth_call'), null)
  await first.admission.flush()
  const { caller } = openAccess([ada({ dailyQuota: 10 })], {}, { book: first.book })
  t.equal(caller(PATH).account.leftToday, 5)
})

t.test('requests, WebSockets at once', (t) => {
  const { admission, caller, charge } = openAccess([ada({ concurrency: 2, sockets: 1 })])
  const who = caller(PATH)
  who.begin()
  who.begin()
  t.equal(charge(who, 'eth_call'), null)
  who.begin()
  t.match(charge(who, 'eth_call'), { data: { limit: 'concurrency' } })
  who.end()
  t.equal(charge(who, 'eth_call'), null)
  const socket = { end: () => undefined }
  t.equal(admission.admitSocket(who), null)
  who.opened(socket, () => true)
  t.match(admission.admitSocket(who), { kind: 'limited', data: { limit: 'sockets' } })
  who.closed(socket)
  t.equal(admission.admitSocket(who), null)
  t.same(admission.stats(5).refused, {
    rate: 0,
    dailyQuota: 0,
    concurrency: 1,
    sockets: 1,
    socketMemory: 0,
    unauthorized: 0,
  })
  t.end()
})

t.test('whoever loses many WebSockets in a second for its memory opens none in it', (t) => {
  const { admission, caller, clock } = openAccess([ada()])
  const who = caller(PATH)
  for (let i = 0; i < 8; i += 1) who.account.reclaimedSocket()
  t.equal(admission.admitSocket(who), null)
  who.account.reclaimedSocket()
  const refusal = admission.admitSocket(who)
  t.match(refusal, { kind: 'limited', data: { limit: 'socketMemory', retryAfter: 1 } })
  t.match(refusal?.message, /--client-memory/)
  t.equal(admission.stats(5).refused['socketMemory'], 1)
  clock.monotonic += 1000
  t.equal(admission.admitSocket(who), null)
  t.end()
})

t.test('addresses without a key have limits of their own', (t) => {
  const rules = {
    clientLimits: { ...UNLIMITED, rate: 1, burst: 5 },
    proxies: new TrustedProxies(['10.0.0.0/8', '::1']),
    memory: UNLIMITED_MEMORY,
  }
  const { caller, charge } = openAccess([], rules)
  const from = (address: number[], forwardedFor = '') =>
    caller('/', { address: Uint8Array.from(address).buffer, forwardedFor })
  t.equal(charge(from([192, 0, 2, 1]), 'eth_call'), null)
  t.match(
    charge(from([192, 0, 2, 1], '198.51.100.7'), 'eth_call'),
    { kind: 'limited' },
    'a header of no proxy',
  )
  t.equal(charge(from([192, 0, 2, 2]), 'eth_call'), null)
  const network = [0x20, 1, 0xd, 0xb8, 0, 0, 0, 1]
  t.equal(charge(from([...network, 0, 0, 0, 0, 0, 0, 0, 1]), 'eth_call'), null)
  t.ok(charge(from([...network, 9, 9, 9, 9, 9, 9, 9, 9]), 'eth_call'), 'the same 64 bits')
  t.equal(charge(from([10, 1, 1, 1], '203.0.113.9, 198.51.100.7, 10.2.2.2'), 'eth_call'), null)
  t.ok(charge(from([10, 1, 1, 1], 'x, 198.51.100.7'), 'eth_call'), 'the client is the last that is no proxy')
  t.equal(from([10, 1, 1, 1], 'nonsense'), from([10, 1, 1, 1], ''), 'what cannot be read is the proxy itself')
  t.equal(from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, 2]), from([192, 0, 2, 2]), 'mapped')
  t.end()
})

t.test('addresses in text and bytes are the same client', (t) => {
  for (const [text, bytes] of [
    ['192.0.2.255', [192, 0, 2, 255]],
    ['::ffff:192.0.2.255', [192, 0, 2, 255]],
    ['2001:db8::1', [0x20, 1, 0xd, 0xb8, ...new Array(11).fill(0), 1]],
    ['2001:db8:0:0:1:2:3:4', [0x20, 1, 0xd, 0xb8, ...new Array(12).fill(0)]],
    ['::', new Array(16).fill(0)],
  ] as const) {
    t.equal(clientOfText(text), clientOfBytes(Uint8Array.from(bytes).buffer), text)
  }
  for (const text of ['', '1.2.3', '1.2.3.4.5', 'example', '::g']) t.equal(clientOfText(text), null, text)
  t.throws(() => new TrustedProxies(['10.0.0.0/33']), { message: /neither an address nor a subnet/ })
  t.end()
})

t.test('made-up addresses do not make the table grow, and those in use stay', (t) => {
  const table = new ClientTable(
    100,
    () => ({ busy: false }),
    ({ busy }) => busy,
  )
  const busy = table.of(1)
  busy.busy = true
  const seen = table.of(2)
  for (let address = 10; address < 10_000; address += 1) {
    table.of(address)
    table.of(2)
  }
  t.equal(table.size, 100)
  t.equal(table.of(1), busy)
  t.equal(table.of(2), seen)
  t.end()
})

t.test('usage is counted by method, written together, and kept when it cannot be written', async (t) => {
  const { admission, book, caller, charge, clock } = openAccess([ada({ rate: 1, burst: 6 })])
  const who = caller(PATH)
  charge(who, 'eth_call')
  who.answered(0, 100, true)
  charge(who, 'eth_call')
  admission.charge(who, METHODS.length)
  charge(caller(PATH), 'eth_chainId')
  book.trouble = new Error('disk full')
  await t.rejects(admission.flush(), { message: 'disk full' })
  t.equal(book.rows.size, 0)
  charge(who, 'eth_call')
  book.trouble = null
  await Promise.all([admission.flush(), admission.flush()])
  const day = admission.day.day
  const [row] = book.usage('ada', day, day)
  t.match(row?.methods.get('eth_call'), { count: 1, cost: 5, refused: 2 })
  t.equal(
    [...(row?.methods.values() ?? [])].reduce((sum, { bytes, errors }) => sum + bytes + errors, 0),
    101,
  )
  const reports = new UsageReports(admission, book, () => clock.monotonic)
  const report = await reports.report(who)
  t.match(report, {
    id: 'ada',
    timezone: 'UTC',
    day: '2026-11-22',
    limits: { rate: 1, burst: 6, dailyQuota: null },
    left: { dailyQuota: null },
    today: { requests: 2, cost: 6 },
    days: [{ day: '2026-11-22', requests: 2 }],
  })
  const writes = book.writes
  charge(who, 'eth_chainId')
  t.equal(await reports.report(who), report, 'whoever asks again at once gets the same')
  t.equal(book.writes, writes)
  clock.monotonic += 1001
  t.match(await reports.report(who), { today: { refused: 4 } })
  t.same(admission.stats(0).usage, [{ id: 'other', requests: 2, cost: 6, today: null }])
  const stranger = openAccess([])
  t.equal(
    await new UsageReports(stranger.admission, stranger.book, () => 0).report(stranger.caller('/')),
    null,
  )
})

t.test('quota and rate have the use of other members; what is late empties a rate at most', (t) => {
  let counter: OwnUse | null = null
  const others: OthersUse = {
    costOn: () => 9,
    attach: (own) => {
      counter = own
    },
  }
  const limits = { dailyQuota: 50, rate: 1, burst: 10 }
  const { admission, caller, charge, clock } = openAccess([ada(limits)], {}, { others })
  const { account } = caller(PATH)
  const { day } = admission.day
  const hear = (cost: number, isLate: boolean) => counter?.usedByOthers('ada', day, cost, isLate)
  t.match(account, { left: 10, leftToday: 41 })
  hear(9, false)
  t.match(account, { left: 10, leftToday: 41 }, 'known already')
  hear(29, true)
  t.match(account, { left: 0, leftToday: 21 }, 'late: empty and no less')
  clock.monotonic += 10_000
  hear(44, false)
  t.match(account, { left: 0, leftToday: 6 })
  clock.monotonic += 5000
  t.match(charge(caller(PATH), 'eth_call'), { kind: 'limited' }, 'five units are owed')
  clock.monotonic += 5000
  t.equal(charge(caller(PATH), 'eth_call'), null)
  t.same(counter && (counter as OwnUse).changed(false), [['ada', day, 5]], 'what was used here is told')
  t.same((counter as OwnUse | null)?.changed(false), [], 'once')
  t.match(charge(caller(PATH), 'eth_call'), { kind: 'limited' }, 'the quota of all is used up')
  ;(counter as OwnUse | null)?.recount()
  t.same((counter as OwnUse | null)?.changed(false), [['ada', day, 5]], 'again after all was counted anew')
  t.end()
})

t.test('whoever tells others is called at the next use of a key, once', (t) => {
  let counter: OwnUse | null = null
  const others: OthersUse = {
    costOn: () => 0,
    attach: (own) => {
      counter = own
    },
  }
  const { admission, caller, charge } = openAccess(
    [ada({ dailyQuota: 50 })],
    { requireKey: 'never' },
    { others },
  )
  const own = counter as OwnUse | null
  if (own === null) throw new Error('nothing is attached')
  let calls = 0
  const listen = () => own.onNextUse(() => (calls += 1))
  listen()
  charge(caller('/'), 'eth_call')
  t.equal(calls, 0, 'keyless use is not told')
  charge(caller(PATH), 'eth_call')
  charge(caller(PATH), 'eth_call')
  t.equal(calls, 1)
  listen()
  own.recount()
  t.equal(calls, 2, 'what is counted anew is told again')
  listen()
  admission.refresh()
  t.equal(calls, 2, 'keys are as before')
  t.end()
})

t.test('limits can change while the node runs', (t) => {
  const { admission, caller, charge, rules } = openAccess([ada()], { requireKey: 'never' })
  const who = caller(PATH)
  const address = caller('/')
  for (let times = 0; times < 50; times += 1) charge(who, 'eth_call')
  admission.changeRules({
    ...rules,
    requireKey: 'always',
    keyLimits: { ...UNLIMITED, rate: 1, burst: 5 },
    clientLimits: { ...UNLIMITED, rate: 1, burst: 5 },
  })
  t.equal(charge(who, 'eth_call'), null)
  t.match(charge(who, 'eth_call'), { kind: 'limited' })
  t.match(admission.admit(requestOf('/')), { kind: 'unauthorized' })
  t.equal(charge(address, 'eth_call'), null)
  t.end()
})
