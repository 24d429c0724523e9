import t from 'tap'
import { encodeLeaderRecord, parseLeaderRecord } from '../../../src/fleet/lease/leader.ts'
import {
  encodeMemberRecord,
  LARGEST_RECORD,
  type MemberRecord,
  parseMemberRecord,
} from '../../../src/fleet/lease/memberRecord.ts'

const RECORD: MemberRecord = {
  incarnation: 'fedcba9876543210',
  name: 'one',
  number: 3,
  version: '0.1.0',
  serves: true,
  head: { number: 7, hash: Buffer.alloc(32, 1), totalDifficulty: 2n ** 90n },
  lag: 12.5,
  load: 0.25,
  waits: null,
  over: false,
}

const parse = (value: unknown) => parseMemberRecord(Buffer.from(JSON.stringify(value)))

t.test('a record comes back as it was', async (t) => {
  t.same(parseMemberRecord(Buffer.from(encodeMemberRecord(RECORD))), RECORD)
  const bare = { ...RECORD, head: null, lag: null, over: true }
  t.same(parseMemberRecord(Buffer.from(encodeMemberRecord(bare))), bare)
  t.notOk(encodeMemberRecord(bare).includes('waits'))
  const waiting = { ...RECORD, waits: 'block 7 has 1 of 2 signatures' }
  t.same(parseMemberRecord(Buffer.from(encodeMemberRecord(waiting))), waiting)
})

t.test('the longest name fits, and is cut', async (t) => {
  const encoded = encodeMemberRecord({
    ...RECORD,
    name: '\u0001'.repeat(10_000),
    version: 'v'.repeat(10_000),
  })
  t.ok(Buffer.byteLength(encoded) <= LARGEST_RECORD)
  t.equal(parseMemberRecord(Buffer.from(encoded))?.name.length, 128)
})

t.test('anything else is no record', async (t) => {
  const good = JSON.parse(encodeMemberRecord(RECORD))
  t.ok(parse(good))
  const changes: readonly Record<string, unknown>[] = [
    { incarnation: 'x' },
    { name: 1 },
    { name: 'a'.repeat(129) },
    { number: -1 },
    { number: 1.5 },
    { serves: 'yes' },
    { lag: -1 },
    { load: 1.1 },
    { load: null },
    { head: {} },
    { head: { ...good.head, hash: 'ab' } },
    { head: { ...good.head, totalDifficulty: '9'.repeat(41) } },
    { head: { ...good.head, totalDifficulty: 5 } },
  ]
  for (const change of changes) t.equal(parse({ ...good, ...change }), null, JSON.stringify(change))
  for (const text of ['', '[]', 'null', '{', `{"a":"${'x'.repeat(LARGEST_RECORD)}"}`]) {
    t.equal(parseMemberRecord(Buffer.from(text)), null, text.slice(0, 20))
  }
})

t.test('the record of the leader', async (t) => {
  const record = { epoch: 4, leader: '0123456789abcdef', incarnation: RECORD.incarnation }
  t.same(parseLeaderRecord(Buffer.from(encodeLeaderRecord(record))), record)
  t.same(parseLeaderRecord(Buffer.from(encodeLeaderRecord({ ...record, leader: null }))), {
    ...record,
    leader: null,
  })
  for (const change of [
    { epoch: 0 },
    { epoch: '4' },
    { epoch: 2 ** 60 },
    { leader: '*' },
    { incarnation: 1 },
  ]) {
    t.equal(
      parseLeaderRecord(Buffer.from(JSON.stringify({ ...record, ...change }))),
      null,
      JSON.stringify(change),
    )
  }
})
