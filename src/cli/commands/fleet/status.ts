import { type FleetReport, type ReportedMember, readFleetReport } from '../../../fleet/fleetReport.ts'
import { toJson } from '../../../fleet/nats/shape.ts'
import { defineCommand } from '../../command.ts'
import { EXIT_CODES } from '../../exitCodes.ts'
import { FLEET_CONNECTION_OPTIONS, withFleet } from '../../fleetCommand.ts'
import { textTable } from '../../textTable.ts'

/** Of a hash. */
const SHOWN_BYTES = 5

/** `rhizome fleet status`: members and buckets of a fleet. */
export const fleetStatus = defineCommand({
  name: 'fleet status',
  summary: 'show members and buckets of a fleet, and what is wrong with them',
  details: 'It listens for a second and fails when something is wrong.',
  files: 'none',
  options: FLEET_CONNECTION_OPTIONS,
  extra: { json: { kind: 'boolean', group: 'Command', default: false, doc: 'Print JSON' } },
  run: ({ config, extra: { json }, stdout }) =>
    withFleet(config, async ({ connection, names }) => {
      const report = await readFleetReport(connection, names)
      stdout.write(json ? `${toJson(report)}\n` : formatReport(report))
      return report.problems.length === 0 ? EXIT_CODES.ok : EXIT_CODES.failed
    }),
})

function formatReport({ fleet, members, buckets, problems }: FleetReport): string {
  const ready = members.filter((member) => stateOf(member) === 'ready').length
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
  const { name, id, executed, adopted, clockAhead, version } = member
  const hash = adopted.hash.toString('hex', 0, SHOWN_BYTES)
  const clock = `${clockAhead > 0 ? '+' : ''}${Math.round(clockAhead)} ms`
  return [name, id, stateOf(member), String(executed.number), String(adopted.number), hash, clock, version]
}

function stateOf({ draining, ready }: ReportedMember): string {
  return draining ? 'leaving' : ready ? 'ready' : 'not ready'
}
