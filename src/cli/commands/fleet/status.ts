import { readFleetReport } from '../../../fleet/fleetReport.ts'
import { defineCommand } from '../../command.ts'
import { EXIT_CODES } from '../../exitCodes.ts'
import { FLEET_CONNECTION_OPTIONS, withFleet } from '../../fleetCommand.ts'
import { formatFleetReport } from '../../fleetDisplay.ts'

/** `rhizome fleet status`: servers, streams and members of a fleet. */
export const fleetStatus = defineCommand({
  name: 'fleet status',
  summary: 'show servers, streams and members of a fleet, and what is wrong with them',
  details: 'It fails when something is wrong.',
  files: 'none',
  options: [...FLEET_CONNECTION_OPTIONS, 'fleetSystem', 'fleetLease'],
  extra: { json: { kind: 'boolean', group: 'Command', default: false, doc: 'Print JSON' } },
  run: ({ config, extra: { json }, stdout }) =>
    withFleet(config, async (tools) => {
      const { fleetSystem: system, fleetLease: lease } = config
      const report = await readFleetReport({ ...tools, system, lease })
      stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : formatFleetReport(report))
      return report.problems.length === 0 ? EXIT_CODES.ok : EXIT_CODES.failed
    }),
})
