import type { Config } from '../config/schema.ts'
import { dataDirStores } from '../node/dataDirStores.ts'
import { toNodeError } from '../node/errors.ts'
import { type ConvertedStore, migrateDataDir } from '../node/migrateDataDir.ts'
import { stateStoreOptionsFromConfig } from '../node/options/storeOptions.ts'
import type { Logger } from '../observe/logger.ts'
import type { CommandStreams } from './command.ts'
import { interruptible } from './interruption.ts'
import { createMigrationDisplay } from './migrationDisplay.ts'

/**
 * Converts the data directory of a configuration to the current formats, and shows the progress.
 * @returns the conversions; null when a signal interrupted it: the next attempt resumes
 * @throws NodeError when a store cannot be used
 */
export async function migrateConfigured(
  config: Config,
  logger: Logger,
  { stderr }: Pick<CommandStreams, 'stderr'>,
): Promise<readonly ConvertedStore[] | null> {
  const { dataDir } = config
  const display = createMigrationDisplay(stderr, logger)
  const stores = () => dataDirStores(dataDir, stateStoreOptionsFromConfig(config))
  try {
    const converted = await interruptible((signal) =>
      migrateDataDir({ dataDir, stores, signal, onProgress: display.update }),
    ).finally(display.end)
    for (const { store, from, to } of converted) {
      logger.info({ from, to }, `${store} was converted to a newer format`)
    }
    return converted
  } catch (thrown) {
    const isInterrupted = thrown instanceof Error && thrown.name === 'AbortError'
    if (!isInterrupted) throw toNodeError(thrown, dataDir)
    logger.info('the conversion was stopped; the next one goes on where it was')
    return null
  }
}
