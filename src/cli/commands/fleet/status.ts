import { readFleetReport } from '../../../fleet/fleetReport.ts'
import { defineCommand } from '../../command.ts'
import { EXIT_CODES } from '../../exitCodes.ts'
import { FLEET_CONNECTION_OPTIONS, withFleet } from '../../fleetCommand.ts'
import { formatFleetReport } from '../../fleetDisplay.ts'

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
      stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : formatFleetReport(report))
      return report.problems.length === 0 ? EXIT_CODES.ok : EXIT_CODES.failed
    }),
})
