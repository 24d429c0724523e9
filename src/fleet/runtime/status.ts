import type { Waits } from '../../util/waits.ts'
import type { FleetStatus, MemberId, MemberStatus } from '../interface.ts'
import type { HeardMember, Members } from '../presence/members.ts'
import type { HeadWaits } from './headWaits.ts'

export interface StatusSources {
  readonly fleet: string
  readonly self: MemberId
  readonly connected: boolean
  /** Why this member is not present; null when it is. */
  readonly reason: string | null
  /** Null before the chain is read. */
  readonly members: Members | null
  readonly late: ReadonlySet<MemberId>
  readonly linked: ReadonlySet<MemberId>
  readonly waits: HeadWaits
  readonly sends: Waits
  readonly counts: Readonly<Record<string, number>>
  /** Milliseconds of the monotonic clock. */
  readonly now: number
}

/** A fleet as this member sees it. */
export function statusOf(sources: StatusSources): FleetStatus {
  const { fleet, self, connected, reason, members, waits, sends, counts } = sources
  return {
    fleet,
    self,
    connected,
    present: reason === null,
    reason,
    members: members === null ? [] : members.all.map((member) => memberOf(member, members, sources)),
    adoptions: { ...waits.adoptions },
    waits: waits.stats,
    sends: sends.all,
    counts: { ...counts },
  }
}

function memberOf(
  member: HeardMember,
  members: Members,
  { self, late, linked, now }: StatusSources,
): MemberStatus {
  const { presence, heardAt, clockAhead } = member
  const { id, name, version, executed, adopted, links } = presence
  const why = members.whyNot(member, now)
  const isLate = late.has(id)
  return {
    id,
    name,
    version,
    present: why === null,
    reason: why ?? (isLate ? 'late for three blocks in a row' : null),
    executed,
    adopted,
    heard: Math.max(0, now - heardAt),
    clockAhead,
    late: isLate,
    linked: presence.enode === null ? null : linked.has(id) || links.includes(self),
  }
}

/** A status as JSON: numbers that it has not are texts, bytes are hex. */
export function encodeStatus(status: FleetStatus): Buffer {
  const plainly = (_: string, value: unknown): unknown => {
    if (typeof value === 'bigint') return value.toString()
    const { type, data } = (value ?? {}) as { type?: unknown; data?: unknown }
    return type === 'Buffer' && Array.isArray(data) ? Buffer.from(data as number[]).toString('hex') : value
  }
  return Buffer.from(JSON.stringify(status, plainly))
}
