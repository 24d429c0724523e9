import type { MemberId } from '../interface.ts'
import type { FleetMember } from '../member/fleetMember.ts'
import type { FleetView } from '../part.ts'
import type { MemberIdentity } from './memberIdentity.ts'
import type { Membership } from './membership.ts'

/** What a view looks at. */
export interface FleetViewParts {
  readonly identity: MemberIdentity
  readonly membership: Membership
  readonly member: FleetMember
  /** Called after every change, once for each listener. */
  readonly listeners: Set<() => void>
}

/** What parts of this member see of the fleet: each property as it is when it is read. */
export function createView({ identity, membership, member, listeners }: FleetViewParts): FleetView {
  return {
    self: identity.id,
    number: identity.number,
    get head() {
      return member.head
    },
    get absence() {
      return member.absence
    },
    get leader() {
      return membership.leader.leader
    },
    get epoch() {
      return membership.leader.epoch
    },
    get isLeader() {
      return membership.leading !== null
    },
    get serving() {
      const others = othersThatServe(identity.id, membership, member)
      return member.absence === null ? [identity.id, ...others] : others
    },
    memberOf: (number) => identity.memberOf(number, membership.all.all()),
    onChange: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** Members that the head names and whose lease is not over, without this one. */
export function othersThatServe(
  self: MemberId,
  membership: Pick<Membership, 'isOver'>,
  member: FleetMember | null,
): readonly MemberId[] {
  return (member?.head?.members ?? []).filter((id) => id !== self && !membership.isOver(id))
}

/** Members that may be asked for something, those that serve first. */
export function othersToAsk(
  self: MemberId,
  membership: Membership,
  member: FleetMember | null,
): readonly MemberId[] {
  const serving = othersThatServe(self, membership, member)
  const rest = membership.all
    .all()
    .map(({ id }) => id)
    .filter((id) => id !== self && !serving.includes(id) && !membership.isOver(id))
  return [...serving, ...rest]
}
