import type { FleetStatus, MemberId, MemberStatus } from '../interface.ts'
import type { LogStability } from '../log/logStability.ts'
import type { FleetMember } from '../member/fleetMember.ts'
import { describeWait } from '../quorum/signatureWait.ts'
import type { Membership } from './membership.ts'

/** What {@link composeStatus} looks at. */
export interface StatusParts {
  readonly fleet: string
  readonly self: MemberId
  readonly number: number
  readonly member: FleetMember | null
  readonly membership: Membership | null
  readonly stability: LogStability | null
  readonly reason: string | null
  readonly counts: Readonly<Record<string, number>>
  readonly blocks: { readonly published: number; readonly left: number }
}

/** A fleet as a member sees it now. */
export function composeStatus(parts: StatusParts): FleetStatus {
  const { fleet, self, number, member, membership, reason, counts, blocks } = parts
  const head = member?.head ?? null
  const absence = member === null ? 'joining' : member.absence
  const waits = member?.waits ?? null
  const why = absence === 'unsigned' && waits !== null ? describeWait(waits) : reason
  const members = (membership?.all.all() ?? [])
    .filter(({ id }) => membership?.isOver(id) === false)
    .map(({ id, record }): MemberStatus => {
      const said = member?.leader.views.get(id)?.announcement
      return {
        id,
        name: record.name,
        number: record.number,
        version: record.version,
        serves: head?.members.includes(id) === true,
        head: said?.head ?? record.head,
        lag: said?.lag ?? record.lag,
        load: record.load,
      }
    })
  const { rounds, aborts } = member?.leader.counts ?? { rounds: 0, aborts: 0 }
  return {
    fleet,
    self,
    number,
    absence,
    reason: absence === null ? null : why,
    waits,
    head,
    leader: membership?.leader.leader ?? null,
    isLeader: membership?.leading !== null && membership !== null,
    members,
    standstill: parts.stability?.standstill ?? 0,
    holds: member?.holds.stats ?? { p50: 0, p99: 0, longest: 0, count: 0 },
    counts: { ...counts, rounds, aborts, blocksPublished: blocks.published, blocksLeft: blocks.left },
  }
}
