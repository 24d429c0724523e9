import { configuredNetwork } from '../../../config/networks/configured.ts'
import { stateStoreOptionsFromConfig } from '../../../node/options/storeOptions.ts'
import { createLogger } from '../../../observe/logger.ts'
import { openSource } from '../../../snapshot/openSource.ts'
import { restoreSnapshot } from '../../../snapshot/restoreSnapshot.ts'
import { defineCommand } from '../../command.ts'
import { EXIT_CODES } from '../../exitCodes.ts'
import { formatSeconds } from '../../importDisplay.ts'
import { interruptible } from '../../interruption.ts'
import { onlyArgument, trustOf, UNSIGNED, withSnapshotErrors } from '../../snapshotCommand.ts'
import { createSnapshotDisplay } from '../../snapshotDisplay.ts'
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
  run: ({ config, extra, files, stdout, stderr }) =>
    withSnapshotErrors(() =>
      interruptible(async (signal) => {
        const start = Date.now()
        const logger = createLogger({ level: config.logLevel, format: config.logFormat, output: stderr })
        const display = createSnapshotDisplay(stderr, logger)
        const restored = await restoreSnapshot({
          spec: configuredNetwork(config),
          dataDir: config.dataDir,
          storeOptions: stateStoreOptionsFromConfig(config),
          source: openSource(onlyArgument(files, 'the folder or address of the snapshot'), signal),
          trust: trustOf(config, extra.unsigned),
          signal,
          onProgress: display.update,
        }).finally(display.end)
        const time = formatSeconds((Date.now() - start) / 1000)
        const how = restored.resumed ? 'went on and restored' : 'restored'
        stdout.write(`${describeManifest(restored)}\n${how} into ${config.dataDir} in ${time}\n`)
        return EXIT_CODES.ok
      }),
    ),
})
