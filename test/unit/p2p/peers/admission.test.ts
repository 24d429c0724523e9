import t from 'tap'
import { ConnectRate } from '../../../../src/p2p/peers/connectRate.ts'
import { chooseEvicted, type Seat } from '../../../../src/p2p/peers/eviction.ts'
import { createPeerLimits } from '../../../../src/p2p/peers/limits.ts'
import { networkGroup, plainAddress } from '../../../../src/p2p/peers/networkGroup.ts'
import { PeerAdmission } from '../../../../src/p2p/peers/peerAdmission.ts'
import { RecentDrops } from '../../../../src/p2p/peers/recentDrops.ts'
import { SeenMessages } from '../../../../src/p2p/peers/seenMessages.ts'
import { TrustedPeers } from '../../../../src/p2p/peers/trustedPeers.ts'
import { FakeJudge } from '../../../support/peerScene.ts'
import { createRandom } from '../../../support/random.ts'
import { VirtualTime } from '../../../support/virtualTime.ts'

const OWN = '80'.repeat(64)
const HOUR = 3_600_000
const time = new VirtualTime()
let count = 0

/** A peer that dialled us an hour ago, of a block of addresses of its own. */
function seat(differences: Partial<Seat> = {}): Seat {
  count += 1
  return {
    id: count.toString(16).padStart(128, 'f'),
    address: `10.${count % 256}.0.1`,
    inbound: true,
    trusted: false,
    connectedAt: time.now() - HOUR,
    useful: 0,
    latency: null,
    ...differences,
  }
}

function seats(length: number, differences: (index: number) => Partial<Seat> = () => ({})): Seat[] {
  return Array.from({ length }, (_, index) => seat(differences(index)))
}

function admission(judge = new FakeJudge(), drops = new RecentDrops(time)): PeerAdmission {
  return new PeerAdmission({
    limits: createPeerLimits(30),
    judge,
    drops,
    rate: new ConnectRate(time),
    ownId: OWN,
    now: time.now,
    random: createRandom(1),
  })
}

t.test('a socket is closed at once for its address', async (t) => {
  const judge = new FakeJudge()
  const drops = new RecentDrops(time)
  const screened = admission(judge, drops)
  t.equal(screened.screen('10.0.0.1', false, []), null)
  drops.record('10.0.0.1')
  t.equal(screened.screen('10.0.0.1', false, []), 'sentAway')
  t.equal(screened.screen('10.0.0.1', true, []), null, 'not a trusted one')
  await time.pass(10_000)
  t.equal(screened.screen('10.0.0.1', false, []), null, 'for 10 s')
  const same = seats(4, () => ({ address: '10.0.0.1' }))
  t.equal(screened.screen('10.0.0.1', false, same), 'addressFull')
  t.equal(screened.screen('10.0.0.1', false, same.slice(1)), null)
  const near = seats(16, (index) => ({ address: `10.0.1.${index}` }))
  t.equal(screened.screen('10.0.0.1', false, near), 'groupFull')
  t.equal(screened.screen('10.1.0.1', false, near), null, 'another block')
  const late = { kind: 'refuse', why: 'groupFull', reason: 0x04 }
  t.match(
    screened.decide(seat({ address: '10.0.0.1' }), near, false),
    late,
    'also where the handshake began before',
  )
  t.match(screened.decide(seat({ address: '10.0.0.1' }), same, false), { ...late, why: 'addressFull' })
  const dialled = near.map((each) => ({ ...each, inbound: false }))
  t.equal(screened.screen('10.0.0.1', false, dialled), null, 'those that were dialled do not count')
  judge.addresses.add('10.0.0.1')
  t.equal(screened.screen('10.0.0.1', true, []), 'banned', 'trusted or not')
})

t.test('an address and a block of addresses may not connect too often', async (t) => {
  const screened = admission()
  const refused = (of: (index: number) => string, times: number) =>
    Array.from({ length: times }, (_, index) => screened.screen(of(index), false, [])).filter(
      (refusal) => refusal === 'tooOften',
    ).length
  t.equal(
    refused(() => '30.1.0.1', 20),
    4,
  )
  t.equal(
    refused((index) => `30.1.1.${index}`, 60),
    16,
    'those of the address are of the block, too',
  )
  t.equal(
    refused(() => '30.2.0.1', 10),
    0,
  )
  t.equal(screened.screen('30.1.0.1', true, []), null, 'trusted ones may')
  await time.pass(10_000)
  t.equal(
    refused(() => '30.1.0.1', 16),
    0,
  )
  const rate = new ConnectRate(time)
  for (let each = 0; each < 5000; each += 1) rate.admit(`${1 + (each >> 8)}.${each & 255}.0.1`)
  t.equal(rate.size, 2048)
})

t.test('who dials us gets half of the places, and a few stay for them', (t) => {
  const placed = admission()
  const fresh = () => ({ connectedAt: time.now() })
  t.match(placed.decide(seat(), seats(14, fresh), false), { kind: 'take', instead: null })
  t.match(placed.decide(seat(), seats(15, fresh), false), { kind: 'refuse', why: 'full', reason: 0x04 })
  const dialled = () => ({ inbound: false })
  const outgoing = seat({ inbound: false })
  t.match(placed.decide(outgoing, [...seats(15), ...seats(14, dialled)], false), { kind: 'take' })
  t.match(placed.decide(outgoing, [...seats(15), ...seats(15, dialled)], false), {
    kind: 'refuse',
    why: 'full',
  })
  t.match(placed.decide(outgoing, seats(23, dialled), false), { kind: 'take' })
  t.match(placed.decide(outgoing, seats(24, dialled), false), { kind: 'refuse', why: 'full' })
  t.match(placed.decide(seat(), seats(24, dialled), false), { kind: 'take' })
  const trusted = seat({ trusted: true })
  t.match(placed.decide(trusted, [...seats(15, fresh), ...seats(15, dialled)], false), {
    kind: 'take',
    instead: null,
  })
  t.match(placed.decide(seat(), [...seats(14, fresh), trusted], false), { kind: 'take' }, 'nor do they count')
  t.end()
})

t.test('this node itself, a second connection and those that are banned find no place', (t) => {
  const judge = new FakeJudge()
  const placed = admission(judge)
  t.match(placed.decide(seat({ id: OWN }), [], false), { kind: 'refuse', why: 'self', reason: 0x0a })
  const other = seat()
  t.match(placed.decide({ ...other }, [other], true), { kind: 'refuse', why: 'duplicate', reason: 0x05 })
  judge.nodes.add(other.id)
  t.match(placed.decide(other, [], false), { kind: 'refuse', why: 'banned', reason: null })
  t.end()
})

t.test('of two connections that crossed, both ends keep the same', (t) => {
  const low = '11'.repeat(64)
  const high = '99'.repeat(64)
  const keptBy = (own: string, other: string, firstInbound: boolean, age = 1000) => {
    const placed = new PeerAdmission({
      limits: createPeerLimits(30),
      judge: new FakeJudge(),
      drops: new RecentDrops(time),
      rate: new ConnectRate(time),
      ownId: own,
      now: time.now,
      random: createRandom(1),
    })
    const first = seat({ id: other, inbound: firstInbound, connectedAt: time.now() - age })
    const { kind } = placed.decide(seat({ id: other, inbound: !firstInbound }), [first], true)
    const keptInbound = kind === 'take' ? !firstInbound : firstInbound
    return keptInbound ? other : own
  }
  for (const firstAtLow of [true, false]) {
    for (const firstAtHigh of [true, false]) {
      t.equal(keptBy(low, high, firstAtLow), low)
      t.equal(keptBy(high, low, firstAtHigh), low)
    }
  }
  t.equal(keptBy(low, high, true, 6000), high, 'a connection that stands stays')
  t.end()
})

t.test('the longest, the most useful and the quickest are not sent away', (t) => {
  const old = seats(3, () => ({ connectedAt: time.now() - 9 * HOUR }))
  const useful = seats(3, () => ({ useful: 5 }))
  const quick = seats(3, () => ({ latency: 10 }))
  const rest = seats(6, () => ({ latency: 500, useful: 1 }))
  const random = createRandom(3)
  const evicted = new Set<Seat | null>()
  for (let each = 0; each < 500; each += 1) {
    evicted.add(chooseEvicted([...rest, ...old, ...useful, ...quick], '172.16.0.1', time.now(), random))
  }
  t.same(
    new Set([...evicted].map((chosen) => chosen?.id)),
    new Set(rest.map(({ id }) => id)),
    'any of the rest is',
  )
  t.end()
})

t.test('the block of addresses with the most places gives one, never for one of its own', (t) => {
  const crowd = seats(9, (index) => ({ address: `20.1.0.${index}`, connectedAt: time.now() - 5000 }))
  const settled = crowd.map((each) => ({ ...each, connectedAt: time.now() - HOUR }))
  const others = seats(6)
  const random = createRandom(3)
  for (let each = 0; each < 100; each += 1) {
    const chosen = chooseEvicted([...crowd, ...others], '172.16.0.1', time.now(), random)
    t.ok(chosen?.address.startsWith('20.1.'))
    t.equal(chooseEvicted([...crowd, ...others], '20.1.0.77', time.now(), random), null)
    t.equal(chooseEvicted([...settled, ...others], '20.1.0.77', time.now(), random), null)
  }
  t.end()
})

t.test('nobody who has just come leaves for another one', (t) => {
  const young = seats(15, () => ({ connectedAt: time.now() - 30_000 }))
  t.equal(chooseEvicted(young, '172.16.0.1', time.now(), createRandom(1)), null)
  const trusted = seats(15, () => ({ trusted: true }))
  t.equal(chooseEvicted(trusted, '172.16.0.1', time.now(), createRandom(1)), null)
  const dialled = seats(15, () => ({ inbound: false }))
  t.equal(chooseEvicted(dialled, '172.16.0.1', time.now(), createRandom(1)), null)
  t.end()
})

t.test('blocks of addresses are /16 of IPv4 and /32 of IPv6', (t) => {
  t.equal(networkGroup('10.20.30.40'), '10.20')
  t.equal(networkGroup('2001:0DB8:1::5'), '2001:db8')
  t.equal(networkGroup('::1'), '0:0')
  t.equal(networkGroup('2001::1'), '2001:0')
  t.equal(plainAddress('::ffff:10.0.0.1'), '10.0.0.1')
  t.equal(plainAddress('fe80::1%eth0'), 'fe80::1')
  t.end()
})

t.test('trust goes by id, address and block of addresses', (t) => {
  const trust = new TrustedPeers(['aa'], [{ family: 'ipv4', address: '10.1.0.0', bits: 16 }])
  t.ok(trust.trusts('aa', '1.2.3.4'))
  t.ok(trust.trusts('bb', '10.1.9.9'))
  t.notOk(trust.trusts('bb', '10.2.9.9'))
  t.notOk(trust.trustsAddress('::1'))
  t.end()
})

t.test('what is remembered of addresses and messages is bounded', (t) => {
  const drops = new RecentDrops(time)
  for (let each = 0; each < 5000; each += 1) drops.record(`10.0.${each >> 8}.${each & 255}`)
  t.equal(drops.size, 1024)
  t.ok(drops.has('10.0.19.135'), 'the last one is')
  const seen = new SeenMessages()
  const message = (number: number) => Buffer.from(`message ${number}`)
  for (let each = 0; each < 6000; each += 1) t.equal(seen.record(message(each), 'a'), 'new')
  t.equal(seen.size, 5000)
  t.equal(seen.record(message(5999), 'b'), 'known')
  t.equal(seen.record(message(5999), 'a'), 'repeated')
  t.equal(seen.record(message(0), 'a'), 'new', 'long ago')
  t.end()
})
