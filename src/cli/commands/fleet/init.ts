import { initFleet, MAX_REPLICAS } from '../../../fleet/nats/buckets.ts'
import { defineCommand } from '../../command.ts'
import { EXIT_CODES } from '../../exitCodes.ts'
import { FLEET_CONNECTION_OPTIONS, withFleet } from '../../fleetCommand.ts'

/** `rhizome fleet init`: creates the buckets of a fleet. */
export const fleetInit = defineCommand({
  name: 'fleet init',
  summary: 'create the buckets of a fleet in NATS: API keys, and counters of their use',
  details: 'What is there already stays as it is.',
  files: 'none',
  options: FLEET_CONNECTION_OPTIONS,
  extra: {
    replicas: {
      kind: 'integer',
      group: 'Command',
      minimum: 1,
      maximum: MAX_REPLICAS,
      default: () => 0,
      defaultText: 'as many as there are servers, at most three',
      doc: 'Servers that keep each bucket',
    },
  },
  run: ({ config, extra, stdout }) =>
    withFleet(config, async ({ connection, names }) => {
      const created = await initFleet(connection.nats, names, extra.replicas === 0 ? null : extra.replicas)
      for (const name of created) stdout.write(`created ${name}\n`)
      if (created.length === 0) stdout.write(`fleet ${names.fleet} was there already\n`)
      return EXIT_CODES.ok
    }),
})
