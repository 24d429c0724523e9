import { pino } from 'pino'
import t from 'tap'
import type { FleetBlock, FleetHead } from '../../../src/fleet/interface.ts'
import type { Announcement } from '../../../src/fleet/member/announcement.ts'
import { FleetMember } from '../../../src/fleet/member/fleetMember.ts'
import { LeaderLogic } from '../../../src/fleet/member/leaderLogic.ts'
import type { PrepareRequest } from '../../../src/fleet/member/prepare.ts'
import { createSignatureBook } from '../../../src/fleet/quorum/blsSignatures.ts'
import { headContent } from '../../../src/fleet/quorum/headSignature.ts'
import { SignerKey } from '../../../src/snapshot/blsKeys.ts'
import { PLANTED_SIGNATURES } from '../../support/fleet/simFaults.ts'
import { DISTURBED, membersOf, simulate } from '../../support/fleet/simFleet.ts'

/** Runs in which members need signatures: each seed has other members, versions and disturbances. */
const RUNS = 3
const FLEET = { fleet: 'test', genesis: Buffer.alloc(32, 5) }
const SIGNERS = [1, 2].map((seed) => SignerKey.generate(Buffer.alloc(32, seed)))
const SELF = '0000000000000001'
const OTHER = '0000000000000002'
const TIMES = { lease: 1000, round: 300, hold: 50, lag: 2000 }
const QUORUM = { quorum: 2, keys: SIGNERS.map((key) => key.publicKey) }

const block = (number: number): FleetBlock => ({
  number,
  hash: Buffer.alloc(32, number),
  totalDifficulty: BigInt(number),
})
const signaturesOf = (of: FleetBlock) =>
  SIGNERS.map((key) => ({ key: key.publicKey, signature: key.signHead(headContent(FLEET, of)) }))
const headOf = (number: number, revision: number, isSigned = true): FleetHead => ({
  ...block(number),
  ...{ revision, epoch: 1, leader: OTHER, members: [SELF, OTHER] },
  signatures: isSigned ? signaturesOf(block(number)) : [],
})
const announced = (member: string, number: number, more: Partial<Announcement> = {}): Announcement => ({
  ...{ member, name: member, number: 1, version: '1', applied: 5, pledge: 0, wants: true, lag: 0, load: 0 },
  ...{ head: block(1), executed: [block(number)], ...more },
})

/** A member whose chain has all blocks, with what was done in order. */
async function openMember() {
  const done: string[] = []
  const said: Announcement[] = []
  let canonical = block(0)
  const member = new FleetMember({
    ...{ self: SELF, times: TIMES, end: 0, before: null, logger: pino({ level: 'silent' }) },
    signatures: createSignatureBook(FLEET, QUORUM, null),
    log: { writeHead: async () => 'conflict', end: async () => 0 },
    leases: { leading: null, known: [SELF, OTHER], isOver: () => false, end: async () => false },
    bus: { announce: (announcement) => said.push(announcement), prepare: async () => ({ refusal: null }) },
    chain: {
      head: async () => canonical,
      executed: async (hash) => block(hash[0] ?? 0),
      moveHead: async (hash) => {
        canonical = block(hash[0] ?? 0)
        done.push(`head ${canonical.number}`)
      },
    },
    front: {
      hold: async () => {
        done.push('hold')
      },
      ping: async () => {
        done.push('ping')
      },
      tell: (event) => {
        if (event.kind === 'membership') done.push(event.absence ?? 'serves')
      },
    },
    scheduler: { now: () => 0, after: () => () => undefined },
    facts: () => ({ name: 'one', number: 1, version: '1', load: 0 }),
    fetch: async () => undefined,
    onChange: () => undefined,
  })
  await member.start(canonical)
  member.ready()
  return { member, done, said, wants: () => said.at(-1)?.wants }
}

t.test('a head without its signatures is followed, not served', async (t) => {
  const { member, done, wants } = await openMember()
  await member.applyHead(headOf(1, 5))
  t.equal(member.absence, null)
  t.ok(wants())
  done.length = 0
  await member.applyHead(headOf(2, 6, false))
  t.same(done.slice(0, 3), ['unsigned', 'ping', 'head 2'], 'the front thread knows before the head moves')
  t.equal(member.absence, 'unsigned')
  t.same(member.waits, { number: 2, signatures: 0, needed: 2 })
  t.notOk(wants(), 'it holds nobody up')
  member.leaseChanged(true)
  t.equal(member.absence, 'unsigned', 'a member that is cut off may serve isolated; this one may not')
  member.leaseChanged(false)

  t.comment('signatures that are announced count')
  for (const [at, { key, signature }] of signaturesOf(block(2)).entries()) {
    t.equal(member.absence, 'unsigned')
    const signed = { key, blocks: [{ block: block(2), signature }] }
    member.heard(announced(OTHER, 2, { pledge: 0, signed, number: at }))
  }
  t.equal(member.absence, null)
  t.ok(wants())
  await member.applyHead(headOf(2, 7, false))
  t.equal(member.absence, null, 'an entry of a version without signatures takes none away')
  member.stop()
})

t.test('a member does not prepare for a block without its signatures', async (t) => {
  const { member, done } = await openMember()
  await member.applyHead(headOf(1, 5))
  done.length = 0
  const request: PrepareRequest = { epoch: 1, revision: 5, hash: block(2).hash }
  t.same(await member.prepare(request), { refusal: 'block 2 has 0 of 2 signatures' })
  const [one] = signaturesOf(block(2))
  t.same(await member.prepare({ ...request, signatures: one === undefined ? [] : [one] }), {
    refusal: 'block 2 has 1 of 2 signatures',
  })
  t.same(await member.prepare({ ...request, signatures: signaturesOf(block(3)) }), {
    refusal: 'block 2 has 1 of 2 signatures',
  })
  t.same(done, [], 'nothing is held for it')
  t.same(await member.prepare({ ...request, signatures: signaturesOf(block(2)) }), { refusal: null })
  t.same(done, ['hold'])
  member.stop()
})

t.test('a leader begins a round for a block that has the signatures which members need', async (t) => {
  const book = createSignatureBook(FLEET, { quorum: 0, keys: QUORUM.keys }, null)
  const leader = new LeaderLogic(SELF, TIMES.round, book)
  const scene = { now: 10, known: [SELF, OTHER], isOver: () => false }
  leader.lead(1)
  leader.applied({ ...headOf(1, 5), leader: SELF }, 0)
  book.hear(block(1), signaturesOf(block(1)))
  leader.heard(announced(SELF, 2, { quorum: 0 }), 1)
  leader.heard(announced(OTHER, 2, { quorum: 2 }), 1)
  t.equal(leader.step(scene), null)
  t.same(leader.waits(scene), { number: 2, signatures: 0, needed: 2 })
  const [one, two] = signaturesOf(block(2))
  book.hear(block(2), one === undefined ? [] : [one])
  t.equal(leader.step(scene), null)
  t.same(leader.waits(scene), { number: 2, signatures: 1, needed: 2 })
  book.hear(block(2), two === undefined ? [] : [two])
  t.equal(leader.waits(scene), null)
  const signatures = signaturesOf(block(2))
  t.match(leader.step(scene), { kind: 'prepare', request: { hash: block(2).hash, signatures } })
  for (const id of [SELF, OTHER])
    leader.answered(id, { epoch: 1, revision: 5, hash: block(2).hash }, { refusal: null }, 11)
  t.match(leader.step(scene), { kind: 'write', entry: { number: 2, signatures } })
})

t.test('a leader repeats a head whose entry lacks signatures that it has', async (t) => {
  const book = createSignatureBook(FLEET, QUORUM, null)
  const leader = new LeaderLogic(SELF, TIMES.round, book)
  const scene = { now: 10, known: [SELF, OTHER], isOver: () => false }
  leader.lead(1)
  leader.applied({ ...headOf(1, 5, false), leader: SELF }, 0)
  leader.heard(announced(SELF, 1), 1)
  leader.heard(announced(OTHER, 1), 1)
  book.hear(block(1), signaturesOf(block(1)))
  t.equal(leader.step(scene), null, 'nobody needs any')
  leader.heard(announced(OTHER, 1, { quorum: 2 }), 2)
  t.match(leader.step(scene), { kind: 'write', entry: { number: 1, signatures: signaturesOf(block(1)) } })
})

t.test('members answer only at heads that enough have signed, whatever happens', async (t) => {
  for (let seed = 1; seed <= RUNS; seed += 1) {
    const { violations, stuck, notes, answered, asked, moves } = await simulate({
      ...{ seed, members: membersOf(seed), milliseconds: DISTURBED },
      isSigned: true,
    })
    t.same(
      { violations, stuck },
      { violations: [], stuck: [] },
      `seed ${seed}: ${violations.length === 0 ? '' : notes.join('; ')}`,
    )
    t.ok(moves > 20 && answered > asked / 3, 'most of the time the fleet serves, and its head moves')
  }
})

for (const [fault, seed] of PLANTED_SIGNATURES) {
  t.test(`the checker finds a head that too few have signed: ${fault}`, async (t) => {
    const { violations } = await simulate({
      ...{ seed, members: membersOf(seed), milliseconds: DISTURBED },
      ...{ faults: { [fault]: true }, isSigned: true },
    })
    t.match(violations[0], /signatures$/)
  })
}
