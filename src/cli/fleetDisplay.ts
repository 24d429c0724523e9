import type { FleetReport, ReportedBucket, ReportedMember } from '../fleet/fleetReport.ts'
import { formatBytes } from './fleetCommand.ts'
import { textTable } from './textTable.ts'

const SHOWN_HASH = 10

/** A report of `fleet status` as text. */
export function formatFleetReport({ fleet, members, buckets, problems }: FleetReport): string {
  const ready = members.filter(({ state }) => state === 'ready').length
  const sections = [
    `fleet ${fleet}: ${ready} of ${members.length} members are ready\n`,
    textTable(['bucket', 'replicas', 'size'], buckets.map(bucketRow)),
    ...(members.length === 0
      ? []
      : [
          textTable(
            ['member', 'id', 'state', 'executed', 'head', 'hash', 'clock', 'version'],
            members.map(memberRow),
          ),
        ]),
    ...(problems.length === 0 ? [] : [problems.map((problem) => `wrong: ${problem}\n`).join('')]),
  ]
  return sections.join('\n')
}

function bucketRow({ name, current, replicas, bytes }: ReportedBucket): readonly string[] {
  return [name, `${current}/${replicas}`, formatBytes(bytes)]
}

function memberRow(member: ReportedMember): readonly string[] {
  const { name, id, state, executed, adopted, hash, clockAhead, version } = member
  const clock = `${clockAhead > 0 ? '+' : ''}${Math.round(clockAhead)} ms`
  return [name, id, state, String(executed), String(adopted), hash.slice(0, SHOWN_HASH), clock, version]
}
