import { join } from 'node:path'
import type { Config } from '../config/schema.ts'
import type { MemberId } from '../fleet/interface.ts'
import { AccessAdmission } from '../gateway/access/accessAdmission.ts'
import { GrantRequests } from '../gateway/access/grantRequests.ts'
import { KeyFileError } from '../gateway/access/keyFile.ts'
import { SYSTEM_CLOCKS } from '../gateway/access/quotaDay.ts'
import { type FleetSum, UsageReports } from '../gateway/access/usageReport.ts'
import { type WatchedKeyFile, watchKeyFile } from '../gateway/access/watchKeyFile.ts'
import type { Logger } from '../observe/logger.ts'
import { RpcError } from '../rpc/errors.ts'
import { METHODS } from '../rpc/methods.ts'
import { AccessStore } from '../storage/access/accessStore.ts'
import { ACCESS_FOLDER } from '../storage/access/accessTables.ts'
import { AccessError } from '../storage/access/errors.ts'
import { StorageError } from '../storage/errors.ts'
import { FilesInPlace } from '../storage/filesInPlace.ts'
import { storeFile } from '../storage/storeFile.ts'
import { NodeError, toAccessNodeError } from './errors.ts'
import { accessRulesFromConfig } from './options/accessOptions.ts'

/** Milliseconds between two looks at the keys and at the day. */
const REFRESH_PERIOD = 250

/** Milliseconds between two writes of usage: what a crash may cost. */
const FLUSH_PERIOD = 1000

/** Milliseconds between two complaints about the same trouble. */
const COMPLAINT_PERIOD = 60_000

const DAY = 86_400_000

/** Where cost units of a fleet, and the usage of other members, come from. */
export interface AccessSource {
  /** Id of this member; null until the fleet has told it. */
  self(): MemberId | null
  /** Asks the leader. */
  grant(call: Buffer): Promise<Buffer>
  /** Brings the sum of this member up to what any member may have told. @throws RpcError `fleetAway` */
  settleUsage(): Promise<void>
}

/** Admission of a node, and what has to be closed with it. */
export interface NodeAdmission {
  readonly admission: AccessAdmission
  readonly reports: UsageReports
  /** Takes over what may change while the node runs: who needs a key, and limits. */
  reconfigure(config: Config): void
  /** Takes cost units of keys and usage from here, in a fleet; until then keys have what may be overdrawn. */
  attachFleet(source: AccessSource): void
  /** Looks at the keys at once: they have changed. */
  refresh(): void
  /** Why keys and usage cannot be relied on: the file of the store is not where it was. Null when it is. */
  fault(): string | null
  /** Writes the last usage and closes the store. */
  close(): Promise<void>
}

/**
 * Opens the access store of a configuration, takes over the keys of its file, and follows both.
 * @throws NodeError `KEYS_FILE`, `ACCESS_STORE`
 */
export function openNodeAdmission(config: Config, logger: Logger): NodeAdmission {
  try {
    return open(config, logger)
  } catch (error) {
    if (error instanceof KeyFileError) throw new NodeError('KEYS_FILE', error.message, { cause: error })
    throw error instanceof AccessError ? toAccessNodeError(error) : error
  }
}

function open(config: Config, logger: Logger): NodeAdmission {
  const isMember = config.fleet.length > 0
  const store = AccessStore.open({ dataDir: config.dataDir, checked: true, fleet: isMember })
  let source: AccessSource | null = null
  let file: WatchedKeyFile | null
  let admission: AccessAdmission
  try {
    file = openKeyFile(config.keysFile, store, logger)
    store.setTimezone(config.quotaTimezone)
    admission = new AccessAdmission({
      book: store,
      methods: METHODS,
      clocks: SYSTEM_CLOCKS,
      timezone: config.quotaTimezone,
      retention: config.usageRetention,
      rules: accessRulesFromConfig(config),
      grants: isMember ? createGrants(() => source) : null,
    })
  } catch (error) {
    void store.close()
    throw error
  }
  const complain = occasionally((error: unknown) => {
    logger.error(
      { err: error },
      'keys or usage: the access store cannot be used; what was counted is tried again',
    )
  })
  const files = new FilesInPlace([storeFile(join(config.dataDir, ACCESS_FOLDER))], [])
  const timers = [
    setInterval(() => attempt(() => files.assert(), complain), FLUSH_PERIOD),
    setInterval(() => attempt(() => admission.refresh(), complain), REFRESH_PERIOD),
    setInterval(() => void admission.flush().catch(complain), FLUSH_PERIOD),
    setInterval(() => void admission.prune().catch(complain), DAY),
  ]
  for (const timer of timers) timer.unref()
  void admission.prune().catch(complain)
  return {
    admission,
    reports: new UsageReports(
      admission,
      store,
      SYSTEM_CLOCKS.monotonic,
      isMember ? sumOf(store, () => source) : null,
    ),
    attachFleet: (next) => {
      source = next
    },
    refresh: () => attempt(() => admission.refresh(), complain),
    reconfigure: (next) => admission.changeRules(accessRulesFromConfig(next)),
    fault: () => {
      try {
        files.assert()
        return null
      } catch (error) {
        if (error instanceof StorageError) return error.message
        throw error
      }
    },
    close: async () => {
      for (const timer of timers) clearInterval(timer)
      file?.close()
      await admission.flush().catch(complain)
      await store.close()
    },
  }
}

function sumOf(store: AccessStore, source: () => AccessSource | null): FleetSum {
  return {
    settle: async () => {
      const fleet = source()
      if (fleet === null) throw new RpcError('fleetAway')
      await fleet.settleUsage()
    },
    summedUsage: (id, first, last) => store.summedUsage(id, first, last),
  }
}

function createGrants(source: () => AccessSource | null): GrantRequests {
  return new GrantRequests({
    now: SYSTEM_CLOCKS.monotonic,
    member: () => source()?.self() ?? null,
    send: async (call) => {
      const fleet = source()
      if (fleet === null) throw new RpcError('fleetAway')
      return await fleet.grant(call)
    },
  })
}

/** Without a file no key is one of it. */
function openKeyFile(path: string | null, store: AccessStore, logger: Logger): WatchedKeyFile | null {
  if (path === null) {
    store.replaceFileKeys([])
    return null
  }
  let isFirst = true
  return watchKeyFile(path, {
    onKeys: (keys) => {
      store.replaceFileKeys(keys)
      if (!isFirst) logger.info({ path, keys: keys.length }, 'the API keys were read again')
      isFirst = false
    },
    onFailure: (error) => logger.error({ error: error.message }, 'the API keys from before stay valid'),
  })
}

function attempt(action: () => void, onFailure: (error: unknown) => void): void {
  try {
    action()
  } catch (error) {
    onFailure(error)
  }
}

/** Calls on, but not more often than it can be read. */
function occasionally(action: (value: unknown) => void): (value: unknown) => void {
  let next = 0
  return (value) => {
    const now = performance.now()
    if (now < next) return
    next = now + COMPLAINT_PERIOD
    action(value)
  }
}
