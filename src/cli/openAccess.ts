import type { Config, OptionKey } from '../config/schema.ts'
import { AccessStore } from '../storage/access/accessStore.ts'
import { AccessError, type AccessErrorCode } from '../storage/access/errors.ts'
import { CommandError } from './errors.ts'
import { EXIT_CODES, type ExitCode } from './exitCodes.ts'

/** Options of commands on keys. */
export const ACCESS_OPTION_KEYS: readonly OptionKey[] = ['network', 'dataDir', 'config']

const ACCESS_EXIT_CODES: Partial<Record<AccessErrorCode, ExitCode>> = {
  ACCESS_DAMAGED: EXIT_CODES.damaged,
  ACCESS_FORMAT: EXIT_CODES.usage,
}

/**
 * Opens the access store of a configuration for an action and closes it again. A node may have it open, too.
 * @throws CommandError with a message for the user
 */
export async function withAccessStore<T>(
  config: Config,
  action: (store: AccessStore) => T | Promise<T>,
): Promise<T> {
  try {
    const store = AccessStore.open({ dataDir: config.dataDir })
    try {
      return await action(store)
    } finally {
      await store.close()
    }
  } catch (error) {
    if (error instanceof AccessError) {
      const exitCode = ACCESS_EXIT_CODES[error.code] ?? EXIT_CODES.failed
      throw new CommandError('Failed', error.message, exitCode, { cause: error })
    }
    const code = (error as { code?: unknown } | null)?.code
    if (typeof code !== 'string' || error instanceof CommandError) throw error
    const message = `the access store below ${config.dataDir} cannot be used: ${(error as Error).message}`
    throw new CommandError('Failed', message, undefined, { cause: error })
  }
}
