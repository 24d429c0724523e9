import type { Config, OptionKey } from '../config/schema.ts'
import { AccessStore } from '../storage/access/accessStore.ts'
import { AccessError, type AccessErrorCode } from '../storage/access/errors.ts'
import type { KeyRecord } from '../storage/access/keyRecord.ts'
import { CommandError } from './errors.ts'
import { EXIT_CODES, type ExitCode } from './exitCodes.ts'
import { FLEET_CONNECTION_OPTIONS } from './fleetCommand.ts'

/** Options of commands on keys. */
export const ACCESS_OPTION_KEYS: readonly OptionKey[] = ['network', 'dataDir', ...FLEET_CONNECTION_OPTIONS]

/** Said of every command that changes keys. */
export const FLEET_KEYS_DETAIL =
  'With --fleet it is a key of the fleet: every member takes it, and the command ends when it is kept by a majority of the NATS servers.'

const ACCESS_EXIT_CODES: Partial<Record<AccessErrorCode, ExitCode>> = {
  ACCESS_DAMAGED: EXIT_CODES.damaged,
  ACCESS_FORMAT: EXIT_CODES.usage,
}

/** Keys as commands change them: those of a node, or those of its fleet. */
export interface KeyBook {
  keys(): Promise<KeyRecord[]>
  /** @throws AccessError `ACCESS_TAKEN` */
  create(key: KeyRecord): Promise<void>
  /** @throws AccessError `ACCESS_UNKNOWN_KEY`, and what the change throws */
  update(id: string, change: (key: KeyRecord) => KeyRecord): Promise<KeyRecord>
}

/**
 * Opens the keys of a configuration for an action: those of its fleet when one is given, else those of the data
 * directory.
 * @throws CommandError with a message for the user
 */
export function withKeys<T>(config: Config, action: (keys: KeyBook) => Promise<T>): Promise<T> {
  return withAccessStore(config, (store) => action(localKeys(store)))
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
    return await asCommand(async () => {
      const store = AccessStore.open({ dataDir: config.dataDir })
      try {
        return await action(store)
      } finally {
        await store.close()
      }
    })
  } catch (error) {
    const code = (error as { code?: unknown } | null)?.code
    if (typeof code !== 'string' || error instanceof CommandError) throw error
    const message = `the access store below ${config.dataDir} cannot be used: ${(error as Error).message}`
    throw new CommandError('Failed', message, undefined, { cause: error })
  }
}

/** Runs an action on keys. @throws CommandError in place of what keys are refused with */
export async function asCommand<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (error) {
    if (!(error instanceof AccessError)) throw error
    const exitCode = ACCESS_EXIT_CODES[error.code] ?? EXIT_CODES.failed
    throw new CommandError('Failed', error.message, exitCode, { cause: error })
  }
}

function localKeys(store: AccessStore): KeyBook {
  return {
    keys: async () => store.keys(),
    create: async (key) => store.create(key),
    update: async (id, change) => store.update(id, change),
  }
}
