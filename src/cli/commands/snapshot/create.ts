import { configuredNetwork } from '../../../config/networks/configured.ts'
import { createLogger } from '../../../observe/logger.ts'
import { createSnapshot } from '../../../snapshot/createSnapshot.ts'
import { MIN_PRIORITY, yieldToOthers } from '../../../util/priority.ts'
import { defineCommand } from '../../command.ts'
import { EXIT_CODES } from '../../exitCodes.ts'
import { formatSeconds } from '../../importDisplay.ts'
import { interruptible } from '../../interruption.ts'
import { required, withSnapshotErrors } from '../../snapshotCommand.ts'
import { createSnapshotDisplay } from '../../snapshotDisplay.ts'
import { describeManifest } from '../../snapshotText.ts'
import { readVersion } from '../../version.ts'

/** `rhizome snapshot create`: copies state and blocks of a data directory, which a node may be using. */
export const snapshotCreate = defineCommand({
  name: 'snapshot create',
  summary: 'copy state and blocks into a folder, also while the node runs',
  details: 'The snapshot is not signed; rhizome snapshot sign does that.',
  files: 'none',
  options: [
    'network',
    'activationHeights',
    'dataDir',
    'config',
    'finalizedDistance',
    'logLevel',
    'logFormat',
  ],
  extra: {
    output: {
      kind: 'text',
      group: 'Command',
      placeholder: 'DIR',
      default: '',
      doc: 'Empty folder to write; required',
    },
    blocks: {
      kind: 'integer',
      group: 'Command',
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      default: () => 0,
      defaultText: 'what the next block needs',
      doc: 'Newest blocks to keep, with their receipts',
    },
    full: {
      kind: 'boolean',
      group: 'Command',
      default: false,
      doc: 'Copy every block and every state',
    },
    depth: {
      kind: 'integer',
      group: 'Command',
      minimum: 0,
      maximum: 1_000_000,
      default: () => -1,
      defaultText: 'as --finalized-distance',
      doc: 'Blocks between the head and the block of the snapshot: a restored node cannot go back behind it',
    },
  },
  run: ({ config, extra, stdout, stderr }) =>
    withSnapshotErrors(() =>
      interruptible(async (signal) => {
        const start = Date.now()
        const logger = createLogger({ level: config.logLevel, format: config.logFormat, output: stderr })
        const reason = yieldToOthers(MIN_PRIORITY)
        if (reason !== null)
          logger.warn({ reason }, 'the system refuses a lower priority than that of the node')
        const display = createSnapshotDisplay(stderr, logger)
        const folder = required(extra.output, '--output')
        const created = await createSnapshot({
          spec: configuredNetwork(config),
          dataDir: config.dataDir,
          folder,
          depth: extra.depth < 0 ? config.finalizedDistance : extra.depth,
          blocks: extra.blocks === 0 ? null : extra.blocks,
          full: extra.full,
          program: `Rhizome-${readVersion()}`,
          created: new Date(),
          signal,
          onProgress: display.update,
        }).finally(display.end)
        stdout.write(
          `${describeManifest(created)}\n${folder} in ${formatSeconds((Date.now() - start) / 1000)}\n`,
        )
        return EXIT_CODES.ok
      }),
    ),
})
