import t from 'tap'
import { PeerReputation } from '../../../../src/p2p/scoring/peerReputation.ts'
import { FIRST_PUNISHMENT, punishmentTime } from '../../../../src/p2p/scoring/punishment.ts'
import { SCORE_EVENT_NAMES, type ScoreEventName } from '../../../../src/p2p/scoring/scoreEvents.ts'

const MINUTE = 60_000
const ID = 'ab'.repeat(64)
const ADDRESS = '198.51.100.7'
const PEER = { id: ID, address: ADDRESS }

function scene(punishes = true) {
  const times = { steady: 1_000_000, wall: 5_000_000_000 }
  const reputation = new PeerReputation({
    clock: () => times.steady,
    wallClock: () => times.wall,
    punishes,
    bannedNodes: ['cd'.repeat(64)],
  })
  const note = (...events: ScoreEventName[]) => {
    for (const event of events) reputation.record(PEER, event)
  }
  const of = (type: 'node' | 'address') => {
    const found = reputation.scores().find((score) => score.type === type)
    if (found === undefined) throw new Error(`no score of the ${type}`)
    return found
  }
  return { times, reputation, note, of }
}

t.test('each event has its effect on a good score and on a bad one', (t) => {
  // p2p.md §8, first table.
  const raises = [
    'validBlock',
    'validTransaction',
    'incompatibleProtocol',
    'unexpectedGenesis',
    'disconnection',
  ]
  const lowers = ['invalidBlock', 'invalidMessage', 'invalidHeader', 'invalidNetwork', 'invalidTransaction']
  for (const event of SCORE_EVENT_NAMES) {
    const good = scene(false)
    good.note('validBlock', 'validBlock', event)
    t.equal(good.of('node').score, raises.includes(event) ? 3 : lowers.includes(event) ? -1 : 2, event)
    const bad = scene(false)
    bad.note('invalidTransaction', 'invalidTransaction', event)
    t.equal(bad.of('node').score, lowers.includes(event) ? -3 : -2, event)
    t.same(bad.of('address').events, bad.of('node').events)
  }
  t.end()
})

t.test('the first of three events is punished, by node and by address, and no other', (t) => {
  for (const event of SCORE_EVENT_NAMES) {
    const { reputation, note, of, times } = scene()
    note(event)
    const punished = ['invalidBlock', 'invalidMessage', 'invalidHeader'].includes(event)
    t.equal(reputation.refusesNode(ID), punished, event)
    t.equal(reputation.refusesAddress(ADDRESS), punished, event)
    t.equal(of('node').punishedUntil, punished ? times.wall + 12 * MINUTE : 0)
    t.equal(of('node').goodReputation, !punished)
    t.equal(of('address').punishments, punished ? 1 : 0)
  }
  t.end()
})

t.test('a punishment ends by the steady clock and leaves its count alone', (t) => {
  const { reputation, note, of, times } = scene()
  note('validBlock', 'invalidHeader', 'timeoutMessage')
  times.wall += 1_000 * MINUTE
  t.ok(reputation.refusesNode(ID), 'the clock of the machine was set')
  t.equal(of('node').punishedUntil, times.wall + 12 * MINUTE)
  times.steady += 12 * MINUTE - 1
  t.ok(reputation.refusesNode(ID))
  note('invalidHeader')
  t.equal(of('node').punishments, 1, 'nobody is punished twice at once')
  times.steady += 1
  t.notOk(reputation.refusesNode(ID))
  t.equal(reputation.score(ID), 0)
  t.match(of('node'), { score: 0, punishments: 1, goodReputation: true, punishedUntil: 0 })
  t.ok(Object.values(of('node').events).every((count) => count === 0))
  note('invalidBlock')
  t.equal(of('node').punishedUntil, times.wall + 13.2 * MINUTE)
  t.end()
})

t.test('punishments grow by a tenth each, then with the score, addresses up to 6,000 minutes', (t) => {
  t.equal(punishmentTime('node', 0, -1), FIRST_PUNISHMENT)
  t.equal(punishmentTime('node', 0, 0), FIRST_PUNISHMENT)
  t.equal(punishmentTime('node', 1, -1), 792_000)
  t.equal(punishmentTime('node', 3, -1), 958_320)
  t.equal(punishmentTime('node', 3, -4), 4 * 958_320)
  // Whole milliseconds at each step: 720000, …, 1159567 (not 1159567.2), 1275523.
  t.equal(punishmentTime('node', 5, -1), 1_159_567)
  t.equal(punishmentTime('node', 6, -1), 1_275_523)
  t.equal(punishmentTime('address', 1_000, -1), 6_000 * MINUTE)
  t.equal(punishmentTime('address', 0, -1_000), 6_000 * MINUTE)
  t.ok(punishmentTime('node', 60, -1) > (6_000 * MINUTE) / 2)
  t.ok(Number.isSafeInteger(punishmentTime('node', 1_000_000, -1_000_000)))
  t.end()
})

t.test('with punishments off everything is counted and nobody refused', (t) => {
  const { reputation, note, of } = scene(false)
  note('invalidBlock', 'invalidBlock')
  t.notOk(reputation.refusesNode(ID))
  t.notOk(reputation.refusesAddress(ADDRESS))
  t.match(of('node'), { score: -2, punishments: 0, events: { invalidBlocks: 2 } })
  t.end()
})

t.test('memory is bounded, and whoever makes up ids does not get rid of a punishment', (t) => {
  const { reputation, note } = scene()
  note('invalidBlock')
  for (let index = 0; index < 10_000; index += 1) {
    reputation.record(
      { id: index.toString(16).padStart(128, '0'), address: `10.${index >> 8}.${index & 255}.1` },
      'validBlock',
    )
  }
  const scores = reputation.scores()
  t.equal(scores.filter(({ type }) => type === 'node').length, 100)
  t.equal(scores.filter(({ type }) => type === 'address').length, 4_096)
  t.ok(reputation.refusesNode(ID))
  t.ok(reputation.refusesAddress(ADDRESS))
  t.end()
})

t.test('an id that is not known yet leaves the address alone noted', (t) => {
  const { reputation } = scene()
  reputation.record({ id: null, address: ADDRESS }, 'failedHandshake')
  t.match(reputation.scores(), [{ type: 'address', id: ADDRESS, events: { failedHandshakes: 1 }, score: 0 }])
  t.end()
})

t.test('clearing forgets an address, or a node by its id or the beginning that is shown', (t) => {
  for (const name of [ID, `0x${ID.toUpperCase()}`, ID.slice(0, 8)]) {
    const { reputation, note } = scene()
    note('invalidBlock')
    reputation.clearScore(name)
    t.notOk(reputation.refusesNode(ID))
    t.ok(reputation.refusesAddress(ADDRESS))
    reputation.clearScore(ADDRESS)
    t.same(reputation.scores(), [])
  }
  t.end()
})

t.test('bans of addresses, of blocks and of nodes', async (t) => {
  const { reputation } = scene()
  t.notOk(reputation.refusesAddress(ADDRESS))
  t.ok(await reputation.ban('198.51.100.0/24'))
  t.ok(reputation.refusesAddress(ADDRESS))
  t.notOk(reputation.refusesAddress('198.51.101.7'))
  t.ok(await reputation.ban('2001:db8::1'))
  t.ok(reputation.refusesAddress('2001:db8::1'))
  t.same(reputation.bans(), ['2001:db8:0:0:0:0:0:1', '198.51.100.0/24'])
  t.ok(await reputation.unban('198.51.100.0/24'))
  t.notOk(reputation.refusesAddress(ADDRESS))
  for (const text of ['127.0.0.1', '0.0.0.0', '::1', '', '1.2.3.4/33', '1.2.3.4/x']) {
    t.notOk(await reputation.ban(text), text)
  }
  t.ok(reputation.refusesNode('cd'.repeat(64)))
  t.notOk(reputation.refusesNode('ce'.repeat(64)))
})
