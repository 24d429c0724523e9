import { configuredNetwork } from '../../../config/networks/configured.ts'
import { createLogger } from '../../../observe/logger.ts'
import { openSource } from '../../../snapshot/openSource.ts'
import { verifySnapshot } from '../../../snapshot/verifySnapshot.ts'
import { defineCommand } from '../../command.ts'
import { EXIT_CODES } from '../../exitCodes.ts'
import { formatSeconds } from '../../importDisplay.ts'
import { interruptible } from '../../interruption.ts'
import { onlyArgument, trustOf, UNSIGNED, withSnapshotErrors } from '../../snapshotCommand.ts'
import { createSnapshotDisplay } from '../../snapshotDisplay.ts'
import { describeManifest } from '../../snapshotText.ts'

/** `rhizome snapshot verify FOLDER|URL`: checks everything that a restore checks, and writes nothing. */
export const snapshotVerify = defineCommand({
  name: 'snapshot verify',
  summary: 'check a snapshot of a folder or an address, and write nothing',
  files: 'some',
  options: ['network', 'config', 'snapshotKeys', 'snapshotQuorum', 'logLevel', 'logFormat'],
  extra: UNSIGNED,
  run: ({ config, extra, files, stdout, stderr }) =>
    withSnapshotErrors(() =>
      interruptible(async (signal) => {
        const start = Date.now()
        const logger = createLogger({ level: config.logLevel, format: config.logFormat, output: stderr })
        const display = createSnapshotDisplay(stderr, logger)
        const verified = await verifySnapshot({
          spec: configuredNetwork(config),
          source: openSource(onlyArgument(files, 'the folder or address of the snapshot'), signal),
          trust: trustOf(config, extra.unsigned),
          signal,
          onProgress: display.update,
        }).finally(display.end)
        stdout.write(
          `${describeManifest(verified)}\nwhole, in ${formatSeconds((Date.now() - start) / 1000)}\n`,
        )
        return EXIT_CODES.ok
      }),
    ),
})
