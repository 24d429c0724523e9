import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { configuredNetwork } from '../config/networks/configured.ts'
import type { Config } from '../config/schema.ts'
import { CHAIN_FOLDER } from '../execution/chainFolders.ts'
import { stateStoreOptionsFromConfig } from '../node/options/storeOptions.ts'
import type { Logger } from '../observe/logger.ts'
import { openSource } from '../snapshot/openSource.ts'
import { restoreSnapshot } from '../snapshot/restoreSnapshot.ts'
import type { SnapshotSource } from '../snapshot/source.ts'
import { readRestoreMarker } from '../storage/restoreMarker.ts'
import type { CommandStreams } from './command.ts'
import { interruptible } from './interruption.ts'
import { isInterruption, trustOf, withSnapshotErrors } from './snapshotCommand.ts'
import { createSnapshotDisplay } from './snapshotDisplay.ts'

/**
 * Fills an empty data directory from the snapshot of `--bootstrap`, or resumes an unfinished restore. A
 * directory with a chain is not changed.
 * @returns false when a signal interrupted it: the next start resumes
 * @throws CommandError
 */
export async function bootstrap(
  config: Config,
  logger: Logger,
  { stderr }: Pick<CommandStreams, 'stderr'>,
): Promise<boolean> {
  const { bootstrap: source, dataDir } = config
  if (source === null) return true
  if (readRestoreMarker(dataDir) === null && existsSync(join(dataDir, CHAIN_FOLDER))) {
    logger.info({ dataDir }, 'the data directory holds a chain: no snapshot is restored')
    return true
  }
  return withSnapshotErrors(() =>
    interruptible(async (signal) => {
      const trust = trustOf(config, false)
      const restore = async (source: SnapshotSource) => {
        logger.info({ source: source.name }, 'restoring a snapshot')
        const display = createSnapshotDisplay(stderr, logger)
        const spec = configuredNetwork(config)
        const storeOptions = stateStoreOptionsFromConfig(config)
        const onProgress = display.update
        return restoreSnapshot({ spec, dataDir, storeOptions, source, trust, signal, onProgress }).finally(
          display.end,
        )
      }
      const restored = await restore(openSource(source, signal)).catch((error: unknown) => {
        if (isInterruption(error)) return null
        throw error
      })
      if (restored === null) {
        logger.info('the restore was stopped; the next start goes on where it was')
        return false
      }
      const { manifest, id } = restored
      logger.info({ snapshot: id, block: manifest.block.number }, 'the snapshot is restored')
      return true
    }),
  )
}
