import type { OptionTable } from '../../../config/option.ts'
import { describeDifference, initFleet } from '../../../fleet/nats/provision.ts'
import { DEFAULT_BYTES, MOST_REPLICAS } from '../../../fleet/nats/resources.ts'
import { defineCommand } from '../../command.ts'
import { EXIT_CODES } from '../../exitCodes.ts'
import { FLEET_CONNECTION_OPTIONS, formatBytes, withFleet } from '../../fleetCommand.ts'

const SIZE = {
  kind: 'integer',
  group: 'Command',
  minimum: 1_048_576,
  maximum: Number.MAX_SAFE_INTEGER,
} as const

const SIZES = {
  logBytes: {
    ...SIZE,
    default: DEFAULT_BYTES.log,
    doc: 'Largest size of the log of transactions and heads, bytes',
  },
  blocksBytes: { ...SIZE, default: DEFAULT_BYTES.blocks, doc: 'Largest size of the stream of blocks, bytes' },
  usageBytes: { ...SIZE, default: DEFAULT_BYTES.usage, doc: 'Largest size of the stream of usage, bytes' },
  keysBytes: { ...SIZE, default: DEFAULT_BYTES.keys, doc: 'Largest size of the bucket of API keys, bytes' },
  quotaBytes: { ...SIZE, default: DEFAULT_BYTES.quota, doc: 'Largest size of the bucket of quotas, bytes' },
  snapshotsBytes: { ...SIZE, default: DEFAULT_BYTES.snapshots, doc: 'Largest size of all snapshots, bytes' },
} as const satisfies OptionTable

/** `rhizome fleet init`: creates streams and buckets of a fleet. */
export const fleetInit = defineCommand({
  name: 'fleet init',
  summary: 'create the streams and buckets of a fleet in NATS',
  details: 'What is there already stays as it is; what is otherwise than asked for is reported.',
  files: 'none',
  options: FLEET_CONNECTION_OPTIONS,
  extra: {
    replicas: {
      kind: 'integer',
      group: 'Command',
      minimum: 1,
      maximum: MOST_REPLICAS,
      default: () => 0,
      defaultText: 'as many as there are servers, at most three',
      doc: 'Servers that keep each stream',
    },
    ...SIZES,
  },
  run: ({ config, extra, stdout }) =>
    withFleet(config, async ({ connection, names }) => {
      const { format, created, differences } = await initFleet(connection.nats, names, {
        replicas: extra.replicas === 0 ? null : extra.replicas,
        bytes: {
          log: extra.logBytes,
          blocks: extra.blocksBytes,
          usage: extra.usageBytes,
          keys: extra.keysBytes,
          quota: extra.quotaBytes,
          snapshots: extra.snapshotsBytes,
        },
      })
      for (const name of created) stdout.write(`created ${name}\n`)
      for (const difference of differences) stdout.write(`unchanged: ${describeDifference(difference)}\n`)
      const room = Object.values(format.bytes).reduce((sum, bytes) => sum + bytes, 0)
      const plural = format.replicas === 1 ? '' : 's'
      stdout.write(
        created.length === 0
          ? `fleet ${names.fleet} was there already\n`
          : `fleet ${names.fleet}: ${format.replicas} replica${plural}, ${formatBytes(room)} on each server at most\n`,
      )
      return differences.length === 0 ? EXIT_CODES.ok : EXIT_CODES.failed
    }),
})
