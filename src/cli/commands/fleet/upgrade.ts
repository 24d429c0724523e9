import { livesOf, readOldStream, upgradeKeys } from '../../../fleet/access/upgrade.ts'
import { initFleet } from '../../../fleet/nats/buckets.ts'
import { lockDirectory } from '../../../native/directoryLock.ts'
import { defineCommand } from '../../command.ts'
import { CommandError } from '../../errors.ts'
import { EXIT_CODES } from '../../exitCodes.ts'
import { FLEET_CONNECTION_OPTIONS, withFleet } from '../../fleetCommand.ts'
import { withAccessStore } from '../../openAccess.ts'

/** `rhizome fleet upgrade`: keys and usage of a fleet of an earlier version become those of the present one. */
export const fleetUpgrade = defineCommand({
  name: 'fleet upgrade',
  summary: 'bring keys and usage of a fleet of an earlier version over, at one member after the other',
  details:
    'The node must not run. The first member creates the buckets, and brings the keys of the old ones; each brings its usage, which it tells the others when it runs. What is there already stays, so that it can be run again. Without --fleet only the data directory is converted, for a node that is to be alone.',
  files: 'none',
  options: ['network', 'dataDir', ...FLEET_CONNECTION_OPTIONS],
  extra: {},
  run: async ({ config, stdout }) => {
    const lock = lockDirectory(config.dataDir)
    if (lock === null) throw new CommandError('Failed', `${config.dataDir} is in use: stop the node first`)
    try {
      await withAccessStore(
        config,
        async (store) => {
          const { old } = store
          if (config.fleet.length > 0)
            await withFleet(config, async ({ connection: { nats }, names }) => {
              for (const name of await initFleet(nats, names, null)) stdout.write(`created ${name}\n`)
              stdout.write(`keys brought over: ${await upgradeKeys(nats, names, store.fleetKeys())}\n`)
              if (old !== null)
                stdout.write(`new in the stream of usage: ${await readOldStream(nats, names, old)}\n`)
            })
          if (old === null) stdout.write(`${config.dataDir} has no usage of such a fleet\n`)
          else {
            await old.convert(livesOf(old))
            stdout.write(`usage brought over: ${old.sum.length + old.own.length} rows\n`)
          }
        },
        { checked: true, takesOld: true },
      )
      return EXIT_CODES.ok
    } finally {
      lock.release()
    }
  },
})
