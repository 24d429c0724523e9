import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config, OptionKey } from '../config/schema.ts'
import { KeyBucket } from '../fleet/access/keyBucket.ts'
import { FleetError } from '../fleet/errors.ts'
import { MEMBER_FILE, openMemberId } from '../fleet/memberFile.ts'
import { AccessStore, type AccessStoreOptions } from '../storage/access/accessStore.ts'
import { AccessError, type AccessErrorCode } from '../storage/access/errors.ts'
import { changesKey, createsKey } from '../storage/access/fleetKey.ts'
import type { KeyRecord } from '../storage/access/keyRecord.ts'
import { CommandError } from './errors.ts'
import { EXIT_CODES, type ExitCode } from './exitCodes.ts'
import { FLEET_CONNECTION_OPTIONS, withFleet } from './fleetCommand.ts'

/** Options of commands on keys. */
export const ACCESS_OPTION_KEYS: readonly OptionKey[] = ['network', 'dataDir', ...FLEET_CONNECTION_OPTIONS]

/** Said of every command that changes keys. */
export const FLEET_KEYS_DETAIL =
  'With --fleet it is a key of the fleet: every member takes it, and the command ends when it is kept by a majority of the NATS servers.'

/** True when a command is for this member of a fleet alone. */
export const KEY_LOCAL = {
  kind: 'boolean',
  group: 'Command',
  default: false,
  doc: 'With --fleet, at the member of this data directory alone, without NATS: changes are offered to the fleet when the member reaches it',
} as const

const ACCESS_EXIT_CODES: Partial<Record<AccessErrorCode, ExitCode>> = {
  ACCESS_DAMAGED: EXIT_CODES.damaged,
  ACCESS_FORMAT: EXIT_CODES.usage,
}

/** Keys as commands change them: those of a node, those of its fleet, or what a member alone has of these. */
export interface KeyBook {
  keys(): Promise<KeyRecord[]>
  /** @throws AccessError `ACCESS_TAKEN` */
  create(key: KeyRecord): Promise<void>
  /** @throws AccessError `ACCESS_UNKNOWN_KEY`, and what the change throws */
  update(id: string, change: (key: KeyRecord) => KeyRecord): Promise<KeyRecord>
  /** @throws AccessError `ACCESS_UNKNOWN_KEY` */
  remove(id: string): Promise<void>
}

/**
 * Opens the keys of a configuration for an action: those of its fleet when one is given, else those of the data
 * directory.
 * @param isLocal whether NATS is left out
 * @throws CommandError with a message for the user
 */
export async function withKeys<T>(
  config: Config,
  isLocal: boolean,
  action: (keys: KeyBook) => Promise<T>,
): Promise<T> {
  const member = memberOf(config.dataDir)
  const isFleet = config.fleet.length > 0
  if (isLocal || !isFleet)
    return withAccessStore(config, (store) => action(localKeys(store, { isLocal, isFleet, member })))
  try {
    return await asCommand(() =>
      withFleet(config, async ({ connection, names }) =>
        action(sharedKeys(await KeyBucket.open(connection.nats, names), member)),
      ),
    )
  } catch (error) {
    if (!(error instanceof CommandError) || !(error.cause instanceof FleetError)) throw error
    const advice = 'until NATS is back, --local on the machine of a member counts at that member'
    throw new CommandError('Failed', `${error.message}; ${advice}`, error.exitCode, { cause: error })
  }
}

/**
 * Opens the access store of a configuration for an action and closes it again. A node may have it open, too.
 * @throws CommandError with a message for the user
 */
export async function withAccessStore<T>(
  { dataDir }: Config,
  action: (store: AccessStore) => T | Promise<T>,
  options: Omit<AccessStoreOptions, 'dataDir'> = {},
): Promise<T> {
  try {
    return await asCommand(async () => {
      const store = AccessStore.open({ dataDir, ...options })
      try {
        return await action(store)
      } finally {
        await store.close()
      }
    })
  } catch (error) {
    const code = (error as { code?: unknown } | null)?.code
    if (typeof code !== 'string' || error instanceof CommandError) throw error
    const message = `the access store below ${dataDir} cannot be used: ${(error as Error).message}`
    throw new CommandError('Failed', message, undefined, { cause: error })
  }
}

/** Runs an action on keys. @throws CommandError in place of what keys are refused with */
async function asCommand<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (error) {
    if (!(error instanceof AccessError)) throw error
    const exitCode = ACCESS_EXIT_CODES[error.code] ?? EXIT_CODES.failed
    throw new CommandError('Failed', error.message, exitCode, { cause: error })
  }
}

/** Keys that members share, in their bucket or as one member has them. */
function sharedKeys(kept: Pick<KeyBucket, 'keys' | 'change'>, member: string): KeyBook {
  return {
    keys: () => kept.keys(),
    create: async (key) => void (await kept.change(key.id, createsKey(key, member))),
    update: async (id, change) => (await kept.change(id, changesKey(id, change, member))).key,
    remove: async (id) => void (await kept.change(id, changesKey(id, null, member))),
  }
}

/** Keys as a data directory has them. */
function localKeys(
  store: AccessStore,
  { isLocal, isFleet, member }: { isLocal: boolean; isFleet: boolean; member: string },
): KeyBook {
  const records = () => store.fleetKeys()
  const shared = sharedKeys(
    {
      keys: async () => records().flatMap(({ key, isRemoved }) => (isRemoved ? [] : [key])),
      change: async (id, change) => store.changeFleetKey(id, change),
    },
    member,
  )
  if (isFleet) return shared
  const isShared = (id: string) => isLocal && records().some(({ key }) => key.id === id)
  return {
    keys: async () => {
      const removed = new Set(records().flatMap(({ key, isRemoved }) => (isRemoved ? [key.id] : [])))
      return store.keys().filter(({ id, fromFleet }) => !fromFleet || !removed.has(id))
    },
    create: async (key) => store.create(key),
    update: async (id, change) => (isShared(id) ? shared.update(id, change) : store.update(id, change)),
    remove: async (id) => (isShared(id) ? shared.remove(id) : store.remove(id)),
  }
}

/** The id of the member that changes keys: that of a data directory, or nobody's. */
function memberOf(dataDir: string): string {
  return existsSync(join(dataDir, MEMBER_FILE)) ? openMemberId(dataDir) : randomBytes(8).toString('hex')
}
