import t from 'tap'
import type { FleetBlock } from '../../../src/fleet/interface.ts'
import { MOST_MEMBERS } from '../../../src/fleet/member/headEntry.ts'
import { LeaderLogic } from '../../../src/fleet/member/leaderLogic.ts'
import { createSignatureBook } from '../../../src/fleet/quorum/blsSignatures.ts'

const SELF = 'f'.repeat(16)
const OTHER = 'e'.repeat(16)
const BLOCK: FleetBlock = { number: 1, hash: Buffer.alloc(32, 1), totalDifficulty: 1n }
const idOf = (at: number) => at.toString(16).padStart(16, '0')

t.test('whoever announces under ever new ids takes no more memory than a fleet', (t) => {
  const fleet = { fleet: 'test', genesis: Buffer.alloc(32) }
  const leader = new LeaderLogic(SELF, 300, createSignatureBook(fleet, { quorum: 0, keys: [] }, null))
  const hear = (member: string) =>
    leader.heard(
      {
        ...{ member, name: member, number: 1, version: '1', applied: 1, pledge: 0, wants: true },
        ...{ lag: 0, load: 0, head: BLOCK, executed: [BLOCK], quorum: 0, signed: null },
      },
      0,
    )
  hear(SELF)
  hear(OTHER)
  leader.applied({ ...BLOCK, revision: 1, epoch: 1, leader: SELF, members: [SELF, OTHER], signatures: [] }, 0)
  for (let at = 0; at < 2 * MOST_MEMBERS; at += 1) hear(idOf(at))
  t.equal(leader.views.size, MOST_MEMBERS)
  t.ok(leader.views.has(SELF))
  t.ok(leader.views.has(OTHER), 'members that the head names are kept')
  t.ok(leader.views.has(idOf(2 * MOST_MEMBERS - 1)), 'the newest is there')
  t.end()
})
