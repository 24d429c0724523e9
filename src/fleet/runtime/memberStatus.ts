import type { MemberId, MemberStatus } from '../interface.ts'
import type { HeardMember } from '../presence/members.ts'

/** What this member knows of another one beside what that one told. */
export interface MemberFacts {
  readonly self: MemberId
  /** Why it is not present; null when it is. */
  readonly why: string | null
  readonly late: ReadonlySet<MemberId>
  readonly linked: readonly MemberId[]
  /** Milliseconds of the monotonic clock. */
  readonly now: number
}

/** A member as this one sees it. */
export function memberStatus(
  member: HeardMember,
  { self, why, late: lateMembers, linked, now }: MemberFacts,
): MemberStatus {
  const { id, name, version, executed, adopted, links, enode, heardAt, clockAhead } = member
  const late = lateMembers.has(id)
  return {
    id,
    name,
    version,
    present: why === null,
    reason: why ?? (late ? 'late for three blocks in a row' : null),
    executed,
    adopted,
    heard: Math.max(0, now - heardAt),
    clockAhead,
    late,
    linked: enode === null ? null : linked.includes(id) || links.includes(self),
  }
}
