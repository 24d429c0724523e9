import t from 'tap'
import {
  decodeKnown,
  decodeRecord,
  decodeReport,
  encodeRecord,
  encodeReport,
  encodeRows,
  parseRecordName,
  REPORT_BYTES,
  recordName,
} from '../../../src/fleet/access/counterCodec.ts'
import { ReceivedCosts } from '../../../src/fleet/access/receivedCosts.ts'
import { Account } from '../../../src/gateway/access/account.ts'
import { UNLIMITED } from '../../../src/gateway/access/limits.ts'
import { MemoryAccount, MemoryTotal, UNLIMITED_MEMORY } from '../../../src/gateway/access/memoryAccount.ts'
import type { DayCost } from '../../../src/storage/access/lifeUsage.ts'
import { createRandom } from '../../support/random.ts'

const DAY = 20_000
/** Milliseconds between two tellings, and the longest way of a message. */
const PACE = 100
const WAY = 90

interface Fleet {
  readonly now: () => number
  /** Asks a member for so much. @returns whether it was given */
  ask(member: number, cost: number): boolean
  /** Time passes: members tell what they used. */
  pass(milliseconds: number): void
  isCut: boolean
}

/** Members of whom each tells its use of one key every 100 ms; messages take up to 90 ms. */
function createFleet(
  members: number,
  limits: { rate: number; burst: number; dailyQuota: number },
  seed = 1,
): Fleet {
  let now = 0
  const random = createRandom(seed)
  const clock = { now: () => now, untilNextDay: () => 1e9, day: DAY }
  const memory = new MemoryAccount(new MemoryTotal(UNLIMITED_MEMORY))
  const accounts = Array.from(
    { length: members },
    () => new Account('k', { ...UNLIMITED, ...limits }, clock, memory),
  )
  const costs = accounts.map(() => new ReceivedCosts())
  const tellAt = accounts.map(() => random() * PACE)
  const since = accounts.map(() => 0)
  let flying: { at: number; to: number; from: number; cost: number; isLate: boolean }[] = []
  const fleet: Fleet = {
    now: clock.now,
    isCut: false,
    ask: (member, cost) => accounts[member]?.charge(cost) === null,
    pass: (milliseconds) => {
      for (let step = 0; step < milliseconds; step += 1) {
        now += 1
        for (const [from, account] of accounts.entries()) {
          if (now < (tellAt[from] ?? 0)) continue
          tellAt[from] = now + PACE
          if (fleet.isCut) continue
          const isLate = now - (since[from] ?? 0) > 1000
          since[from] = now
          const cost = account.takeChange()
          if (cost === null) continue
          for (const to of accounts.keys())
            if (to !== from) flying.push({ at: now + random() * WAY, to, from, cost, isLate })
        }
        for (const { to, from, cost, isLate } of flying.filter(({ at }) => at <= now)) {
          const total = costs[to]?.raise(String(from), ['k', DAY, cost]) ?? null
          if (total !== null) accounts[to]?.usedByOthers(DAY, total, isLate)
        }
        flying = flying.filter(({ at }) => at > now)
      }
    },
  }
  return fleet
}

t.test('no window has more than its burst, its rate, and what others did not know', (t) => {
  for (const members of [2, 3, 8])
    for (const [rate, burst] of [
      [100, 200],
      [1000, 100],
      [20, 500],
    ] as const) {
      const fleet = createFleet(members, { rate, burst, dailyQuota: 0 }, members + rate)
      const given: { at: number; cost: number }[] = []
      const random = createRandom(rate)
      for (let step = 0; step < 8000; step += 1) {
        // All ask for all they get, with pauses.
        const isPause = Math.floor(step / 1500) % 2 === 1 && random() < 0.99
        for (let member = 0; member < members && !isPause; member += 1)
          while (fleet.ask(member, 1)) given.push({ at: fleet.now(), cost: 1 })
        fleet.pass(1)
      }
      const bound = burst + (members - 1) * (burst + 0.2 * rate)
      let worst = Number.NEGATIVE_INFINITY
      // The largest of all windows: rate × time is taken off, the rest may not exceed the bound.
      let least = 0
      let sum = 0
      for (const { at, cost } of given) {
        least = Math.min(least, sum - (rate * at) / 1000)
        sum += cost
        worst = Math.max(worst, sum - (rate * at) / 1000 - least)
      }
      t.ok(
        worst <= bound + 1,
        `${members} members, ${rate}/s, ${burst}: ${worst.toFixed(0)} of ${bound.toFixed(0)}`,
      )
      t.ok(sum >= 0.9 * rate * 4, 'no less than the rate')
    }
  t.end()
})

t.test('one member gives the whole rate; a cut leaves no debt', (t) => {
  const fleet = createFleet(3, { rate: 100, burst: 50, dailyQuota: 0 })
  let given = 0
  for (let step = 0; step < 5000; step += 1) {
    while (fleet.ask(0, 1)) given += 1
    fleet.pass(1)
  }
  t.ok(given >= 540, `${given}`)
  fleet.isCut = true
  for (let step = 0; step < 20_000; step += 1) {
    for (const member of [1, 2]) fleet.ask(member, 1)
    fleet.pass(1)
  }
  fleet.isCut = false
  fleet.pass(300)
  let wait = 0
  while (!fleet.ask(0, 1) && wait < 5000) {
    fleet.pass(1)
    wait += 1
  }
  t.ok(wait <= 20, `asked again ${wait} ms after 4,000 units were heard late`)
  t.end()
})

t.test('a quota is exceeded by what others did not know, and no more', (t) => {
  const fleet = createFleet(3, { rate: 0, burst: 0, dailyQuota: 1000 })
  let given = 0
  for (let step = 0; step < 3000; step += 1) {
    for (const member of [0, 1, 2]) if (step % 3 === 0 && fleet.ask(member, 1)) given += 1
    fleet.pass(1)
  }
  t.ok(given >= 1000 && given <= 1000 + 2 * (200 / 3), `${given}`)
  t.end()
})

t.test('messages and records are read as they were written, and nothing else is', (t) => {
  const head = { life: '1'.repeat(16), by: '2'.repeat(16), zone: 'UTC', sequence: 1, isLate: false }
  const rows: DayCost[] = Array.from({ length: 5000 }, (_, at) => [`key-${at}`, DAY, at])
  const { bytes, taken } = encodeReport({ ...head, rows })
  t.ok(bytes.length <= REPORT_BYTES && bytes.length > REPORT_BYTES - 1024, `${bytes.length}`)
  t.same(decodeReport(bytes), { ...head, rows: rows.slice(0, taken) })
  const usage = {
    id: 'k',
    day: DAY,
    methods: new Map([['m', { count: 1, cost: 2, bytes: 3, errors: 4, refused: 5 }]]),
  }
  const record = { by: head.by, zone: 'UTC', rows: [usage] }
  t.same(decodeRecord(encodeRecord(record)), record)
  const known = { isOwn: true, rows: [usage], reported: [['k', DAY, 5] as const] }
  t.same(decodeKnown(encodeRows(known)), known)
  const name = recordName(head.life, usage)
  t.same(parseRecordName(name), { life: head.life, day: DAY })
  for (const wrong of ['', 'x', `${head.life}.x.1`, `${head.life}.1`, `${name}.1`])
    t.equal(parseRecordName(wrong), null)
  const plain = JSON.parse(encodeReport({ ...head, rows: [] }).bytes.toString()) as object
  for (const more of [
    { life: 'x' },
    { by: 5 },
    { zone: null },
    { sequence: -1 },
    { rows: 'x' },
    { rows: [['k', DAY]] },
    { rows: [['a b', DAY, 1]] },
    { rows: [['k', -1, 1]] },
    { rows: [['k', DAY, 1.5]] },
  ])
    t.throws(() => decodeReport(Buffer.from(JSON.stringify({ ...plain, ...more }))), JSON.stringify(more))
  for (const text of ['', 'null', '[]', '{}']) {
    t.throws(() => decodeReport(Buffer.from(text)))
    t.throws(() => decodeRecord(Buffer.from(text)))
    t.throws(() => decodeKnown(Buffer.from(text)))
  }
  t.end()
})
