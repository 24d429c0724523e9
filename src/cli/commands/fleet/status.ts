import { type FleetReport, type ReportedMember, readFleetReport } from '../../../fleet/fleetReport.ts'
import { defineCommand } from '../../command.ts'
import { EXIT_CODES } from '../../exitCodes.ts'
import { FLEET_CONNECTION_OPTIONS, withFleet } from '../../fleetCommand.ts'
import { textTable } from '../../textTable.ts'

const SHOWN_HASH = 10

/** `rhizome fleet status`: members and buckets of a fleet. */
export const fleetStatus = defineCommand({
  name: 'fleet status',
  summary: 'show members and buckets of a fleet, and what is wrong with them',
  details: 'It listens for a second and fails when something is wrong.',
  files: 'none',
  options: FLEET_CONNECTION_OPTIONS,
  extra: { json: { kind: 'boolean', group: 'Command', default: false, doc: 'Print JSON' } },
  run: ({ config, extra: { json }, stdout }) =>
    withFleet(config, async (tools) => {
      const report = await readFleetReport(tools)
      stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : formatReport(report))
      return report.problems.length === 0 ? EXIT_CODES.ok : EXIT_CODES.failed
    }),
})

function formatReport({ fleet, members, buckets, problems }: FleetReport): string {
  const ready = members.filter(({ state }) => state === 'ready').length
  const bucketRows = buckets.map(({ name, current, replicas, bytes }) => [
    name,
    `${current}/${replicas}`,
    `${Math.ceil(bytes / 1024)} KiB`,
  ])
  const headings = ['member', 'id', 'state', 'executed', 'head', 'hash', 'clock', 'version']
  const sections = [
    `fleet ${fleet}: ${ready} of ${members.length} members are ready\n`,
    textTable(['bucket', 'replicas', 'size'], bucketRows),
    members.length === 0 ? '' : textTable(headings, members.map(memberRow)),
    problems.map((problem) => `wrong: ${problem}\n`).join(''),
  ]
  return sections.filter((section) => section !== '').join('\n')
}

function memberRow(member: ReportedMember): readonly string[] {
  const { name, id, state, executed, adopted, hash, clockAhead, version } = member
  const clock = `${clockAhead > 0 ? '+' : ''}${Math.round(clockAhead)} ms`
  return [name, id, state, String(executed), String(adopted), hash.slice(0, SHOWN_HASH), clock, version]
}
