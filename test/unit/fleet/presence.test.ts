import fc from 'fast-check'
import t from 'tap'
import { decodeBatch, encodeBatch } from '../../../src/fleet/pool/batch.ts'
import { Confirmations } from '../../../src/fleet/pool/confirmations.ts'
import { Identity } from '../../../src/fleet/presence/identity.ts'
import { Members } from '../../../src/fleet/presence/members.ts'
import {
  decodePresence,
  encodePresence,
  type Presence,
  PresenceReader,
} from '../../../src/fleet/presence/presence.ts'
import { linksOf } from '../../../src/fleet/runtime/links.ts'
import { makerOf } from '../../../src/fleet/runtime/maker.ts'

const idOf = (number: number) => number.toString(16).padStart(16, '0')
const hash = (byte: number) => Buffer.alloc(32, byte)
const enodeOf = (number: number) => `enode://${String(number).padStart(128, '0')}@10.0.0.${number}:50505`

function presence(number: number, more: Partial<Presence> = {}): Presence {
  const block = { number: 5, hash: hash(5), totalDifficulty: 50n }
  return {
    id: idOf(number),
    life: idOf(number + 1000),
    began: 1000 + number,
    reached: 0,
    name: `m${number}`,
    version: '0.1.0',
    genesis: 'aa'.repeat(32),
    zone: 'UTC',
    clock: 0,
    enode: enodeOf(number),
    executed: block,
    adopted: block,
    refused: ['bb'.repeat(32)],
    ready: true,
    draining: false,
    makes: 'timed',
    links: [idOf(9)],
    ...more,
  }
}

t.test(
  'a presence is read as it was written, unknown fields are ignored, other versions are left alone',
  (t) => {
    const told = presence(1)
    t.same(decodePresence(encodePresence(told)), told)
    const plain = JSON.parse(encodePresence(told).toString()) as object
    t.same(decodePresence(Buffer.from(JSON.stringify({ ...plain, later: { x: 1 } }))), told)
    t.equal(decodePresence(Buffer.from(JSON.stringify({ ...plain, speaks: 2, id: 7 }))), null)
    t.end()
  },
)

t.test('of presences that differ by their clock alone the blocks are the same', (t) => {
  const reader = new PresenceReader()
  const told = presence(1, { clock: 1_764_300_000_000 })
  const first = reader.read(encodePresence(told))
  const later = reader.read(encodePresence({ ...told, clock: told.clock + 500 }))
  t.same(first, told)
  t.same(later, { ...told, clock: told.clock + 500 })
  t.equal(later?.executed, first?.executed)
  const changed = reader.read(encodePresence({ ...told, ready: false }))
  t.same(changed, { ...told, ready: false })
  t.not(changed?.executed, first?.executed)
  t.same(reader.read(encodePresence(presence(1))), presence(1), 'a clock of another length')
  t.throws(() => reader.read(Buffer.from('{"clock":1764300000000,"speaks":4}')), { code: 'Malformed' })
  t.end()
})

t.test('whatever comes is read, or refused with an error', (t) => {
  const bytes = encodePresence(presence(1))
  const readers = [decodePresence, decodeBatch]
  const garbage = fc.oneof(
    fc.uint8Array({ maxLength: 400 }),
    fc.json().map((text) => new TextEncoder().encode(text)),
    fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)).map(([at, value]) => {
      const changed = Uint8Array.from(bytes)
      changed[at] = value
      return changed
    }),
  )
  fc.assert(
    fc.property(garbage, (message) => {
      for (const read of readers) {
        try {
          read(Buffer.from(message))
        } catch (error) {
          if (!(error instanceof Error)) throw new Error('no error')
        }
      }
    }),
  )
  t.throws(() => decodePresence(Buffer.alloc(10_000, 0x20)), { code: 'Malformed' })
  t.end()
})

t.test('who is present', (t) => {
  const members = new Members({ genesis: 'aa'.repeat(32), zone: 'UTC' }, 10_000, () => true)
  const why = (told: Presence, now: number) => {
    members.received(told, now, 0)
    const found = members.all.find(({ id }) => id === told.id)
    return found === undefined ? undefined : members.whyNot(found, now)
  }
  t.equal(members.received(presence(1), 0, 0), 'first')
  t.equal(members.received(presence(1), 500, 0), 'changed')
  t.equal(members.received(presence(1), 3000, 0), 'again')
  t.equal(members.received(presence(1, { reached: 1 }), 3050, 0), 'again', 'what it told may be lost')
  t.equal(members.received(presence(1, { life: idOf(7) }), 3100, 0), 'first')
  t.same(
    members.present(5100).map(({ id }) => id),
    [idOf(1)],
  )
  t.same(members.present(5101), [], 'not heard for two seconds')
  t.equal(why(presence(2, { ready: false }), 6000), 'not ready')
  t.equal(why(presence(2, { draining: true }), 6000), 'leaving')
  t.match(why(presence(2, { genesis: 'bb'.repeat(32) }), 6000), /genesis/)
  t.match(why(presence(2, { zone: 'Europe/Zurich' }), 6000), /time zone/)
  members.executed(60n, 7000)
  t.equal(why(presence(2), 17_000), null)
  t.equal(why(presence(2), 17_001), 'behind')
  members.executed(70n, 17_001)
  const block = { number: 6, hash: hash(6), totalDifficulty: 60n }
  t.equal(why(presence(2, { executed: block }), 17_002), null, 'behind by one block that is young')
  t.end()
})

t.test('a member that was away is apart until it has a block that is known here', (t) => {
  const known: Buffer[] = [hash(5)]
  const isKnown = ({ hash }: { hash: Buffer }) => known.some((one) => one.equals(hash))
  const members = new Members({ genesis: 'aa'.repeat(32), zone: 'UTC' }, 10_000, isKnown)
  const other = { number: 6, hash: hash(6), totalDifficulty: 60n }
  const isApart = (more: Partial<Presence>, now: number) => {
    members.received(presence(1, more), now, 0)
    return members.all[0]?.isApart
  }
  const ahead = { executed: other, adopted: other }
  t.equal(isApart({}, 0), false)
  t.equal(isApart(ahead, 2000), false, 'it was heard all the time')
  t.equal(isApart(ahead, 4001), true)
  t.equal(isApart(ahead, 4500), true)
  t.equal(isApart({ executed: other }, 5000), false, 'the block before is known')
  members.reached(8000)
  t.equal(isApart(ahead, 9000), false, 'this member itself was away')
  t.equal(isApart(ahead, 12_000), true)
  known.push(hash(6))
  t.equal(isApart(ahead, 12_500), false)
  t.end()
})

t.test('of two processes with one identity the later one steps back', (t) => {
  const own = { id: idOf(1), life: idOf(50), began: 2000, nodeId: `${'0'.repeat(127)}1` }
  const listening = new Identity()
  listening.begin(0)
  t.equal(listening.received(own, presence(1, { life: own.life }), 10), false, 'itself')
  t.equal(listening.received(own, presence(2), 20), false, 'another member')
  t.equal(listening.received(own, presence(1, { began: 9999 }), 30), true)
  listening.tick(1300)
  t.equal(listening.isJoined, false, 'it heard the other before it spoke')
  t.match(listening.reason, /another process/)
  listening.tick(10_031)
  t.equal(listening.isJoined, true, 'the other is gone')
  const joined = new Identity()
  joined.begin(0)
  joined.tick(1199)
  t.equal(joined.isJoined, false)
  joined.tick(1200)
  t.equal(joined.isJoined, true)
  joined.received(own, presence(1, { began: 2001 }), 2000)
  t.equal(joined.isJoined, true, 'the other one is later')
  joined.received(own, presence(3, { began: 1, enode: enodeOf(1) }), 2000)
  t.equal(joined.isJoined, false, 'the same node key, and an earlier process')
  t.end()
})

t.test('a batch is answered when all that are present have confirmed it', async (t) => {
  const confirmations = new Confirmations()
  let done = 0
  const wait = confirmations.wait(1, [idOf(1), idOf(2)]).then(() => {
    done += 1
  })
  confirmations.confirmed(idOf(1), 1)
  confirmations.confirmed(idOf(1), 2)
  await Promise.resolve()
  t.equal(done, 0)
  confirmations.keepOnly(new Set([idOf(1)]))
  await wait
  t.equal(confirmations.size, 0)
  await confirmations.wait(2, [])
  const batch = {
    from: idOf(3),
    number: 7,
    transactions: [Buffer.from('a'), Buffer.alloc(0), Buffer.from('bc')],
  }
  t.same(decodeBatch(encodeBatch(batch)), batch)
})

t.test('who makes blocks, and who is dialled', (t) => {
  const self = { id: idOf(2), name: 'me', makes: 'timed' as const }
  t.same(makerOf(self, [presence(3)]), { kind: 'self' })
  t.same(makerOf(self, [presence(1)]), { kind: 'other', name: 'm1' })
  t.same(makerOf(self, [presence(1, { makes: 'asked' })]), { kind: 'self' })
  t.same(makerOf({ ...self, makes: 'never' }, []), { kind: 'unknown' })
  t.same(makerOf(null, [presence(7, { makes: 'asked' })]), { kind: 'other', name: 'm7' })
  const heard = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      ...presence(index + 1),
      receivedAt: 0,
      clockAhead: 0,
      isApart: false,
    }))
  const genesis = 'aa'.repeat(32)
  t.equal(linksOf(idOf(0), heard(15), genesis).connect.length, 15)
  const many = linksOf(idOf(15), heard(20), genesis)
  t.equal(many.trusted.length, 20)
  t.equal(many.connect.length, 8)
  t.equal(many.connect[0], enodeOf(16))
  t.same(linksOf(idOf(0), heard(2), 'cc'.repeat(32)).trusted, [])
  t.end()
})
