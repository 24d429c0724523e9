import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { networkByName } from '../config/networks/byName.ts'
import type { Config } from '../config/schema.ts'
import { CHAIN_FOLDER } from '../execution/openChain.ts'
import { stateStoreOptionsFromConfig } from '../node/storeOptions.ts'
import type { Logger } from '../observe/logger.ts'
import { openSource } from '../snapshot/openSource.ts'
import { restoreSnapshot } from '../snapshot/restoreSnapshot.ts'
import { readRestoreMarker } from '../storage/restoreMarker.ts'
import type { CommandStreams } from './command.ts'
import { interruptible, trustOf, withSnapshotErrors } from './snapshotCommand.ts'
import { createSnapshotDisplay } from './snapshotDisplay.ts'

/**
 * Fills an empty data directory from the snapshot that `--bootstrap` names, or goes on with one that was begun. A
 * directory with a chain is left alone.
 * @throws CommandError
 */
export async function bootstrap(
  config: Config,
  logger: Logger,
  { stderr }: Pick<CommandStreams, 'stderr'>,
): Promise<void> {
  const { bootstrap: place, dataDir } = config
  if (place === null) return
  if (readRestoreMarker(dataDir) === null && existsSync(join(dataDir, CHAIN_FOLDER))) {
    logger.info({ dataDir }, 'the data directory holds a chain: no snapshot is restored')
    return
  }
  await withSnapshotErrors(() =>
    interruptible(async (signal) => {
      const source = openSource(place, signal)
      logger.info({ source: source.name }, 'restoring a snapshot')
      const display = createSnapshotDisplay(stderr, logger)
      const { manifest, id } = await restoreSnapshot({
        spec: networkByName(config.network),
        dataDir,
        storeOptions: stateStoreOptionsFromConfig(config),
        source,
        trust: trustOf(config, false),
        signal,
        onProgress: display.update,
      }).finally(display.end)
      logger.info({ snapshot: id, block: manifest.block.number }, 'the snapshot is restored')
    }),
  )
}
