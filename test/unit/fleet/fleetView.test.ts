import type { KV } from '@nats-io/kv'
import t from 'tap'
import { LeaderLease } from '../../../src/fleet/lease/leader.ts'
import type { FleetMember } from '../../../src/fleet/member/fleetMember.ts'
import { createView } from '../../../src/fleet/runtime/fleetView.ts'
import type { MemberIdentity } from '../../../src/fleet/runtime/memberIdentity.ts'
import { Membership } from '../../../src/fleet/runtime/membership.ts'

const LEASE = 600_000

t.test('a leader that stood still past its deadline sees at once that it leads no longer', async (t) => {
  const clock = { now: 1 }
  const bucket: Pick<KV, 'put' | 'watch'> = {
    put: async () => 1,
    watch: async () => {
      throw new Error('nobody watches')
    },
  }
  const leader = new LeaderLease({
    ...{ bucket, self: '1'.repeat(16), incarnation: 'one', lease: LEASE, clock: () => clock.now },
    mayLead: () => true,
    knownEpoch: () => 0,
    onEvent: () => undefined,
  })
  t.teardown(() => leader.stop())
  // Only what the view reads.
  const membership = Object.create(Membership.prototype, { leader: { value: leader } }) as Membership
  const view = createView({
    ...{ membership, identity: {} as MemberIdentity, member: {} as FleetMember },
    listeners: new Set(),
  })
  t.notOk(view.isLeader)
  clock.now += 2 * LEASE
  leader.start()
  while (!leader.isLeader) await new Promise((resolve) => setImmediate(resolve))
  t.ok(view.isLeader)
  clock.now += LEASE
  t.notOk(view.isLeader, 'no timer had to run')
})
