import { stateStoreOptionsFromConfig } from '../../../node/options/storeOptions.ts'
import { restoreSnapshot } from '../../../snapshot/restoreSnapshot.ts'
import { defineCommand } from '../../command.ts'
import { EXIT_CODES } from '../../exitCodes.ts'
import { UNSIGNED } from '../../snapshotCommand.ts'
import { readSnapshot } from '../../snapshotReading.ts'
import { describeManifest } from '../../snapshotText.ts'

/** `rhizome snapshot restore FOLDER|URL`: fills an empty data directory. */
export const snapshotRestore = defineCommand({
  name: 'snapshot restore',
  summary: 'fill an empty data directory from a snapshot of a folder or an address',
  details: 'When it is interrupted, the same command goes on where it was.',
  files: 'some',
  options: [
    'network',
    'dataDir',
    'config',
    'snapshotKeys',
    'snapshotQuorum',
    'stateCache',
    'logLevel',
    'logFormat',
  ],
  extra: UNSIGNED,
  run: async (command) => {
    const { config, stdout } = command
    const [restored, time] = await readSnapshot(command, (reading) =>
      restoreSnapshot({
        ...reading,
        dataDir: config.dataDir,
        storeOptions: stateStoreOptionsFromConfig(config),
      }),
    )
    const how = restored.resumed ? 'went on and restored' : 'restored'
    stdout.write(`${describeManifest(restored)}\n${how} into ${config.dataDir} in ${time}\n`)
    return EXIT_CODES.ok
  },
})
