import { join } from 'node:path'
import type { Config } from '../config/schema.ts'
import { AccessAdmission } from '../gateway/access/accessAdmission.ts'
import type { AccessBook } from '../gateway/access/accessBook.ts'
import type { AccessSharing } from '../gateway/access/othersUse.ts'
import { SYSTEM_CLOCKS } from '../gateway/access/quotaDay.ts'
import { UsageReports } from '../gateway/access/usageReport.ts'
import type { Logger } from '../observe/logger.ts'
import { METHODS } from '../rpc/methods.ts'
import { AccessStore } from '../storage/access/accessStore.ts'
import { ACCESS_FOLDER } from '../storage/access/accessTables.ts'
import { AccessError } from '../storage/access/errors.ts'
import { KeyFileError } from '../storage/access/keyFile.ts'
import { type WatchedKeyFile, watchKeyFile } from '../storage/access/watchKeyFile.ts'
import { StorageError } from '../storage/errors.ts'
import { FilesInPlace } from '../storage/filesInPlace.ts'
import { storeFile } from '../storage/storeFile.ts'
import { NodeError, toAccessNodeError } from './errors.ts'
import { accessRulesFromConfig } from './options/accessOptions.ts'

/** Milliseconds between two looks at the keys and at the day. */
const REFRESH_PERIOD_MILLISECONDS = 250

/** Milliseconds between two writes of usage: what a crash may cost. */
const FLUSH_PERIOD_MILLISECONDS = 1000

/** Milliseconds between two complaints about the same trouble. */
const COMPLAINT_PERIOD_MILLISECONDS = 60_000

const DAY_MILLISECONDS = 86_400_000

/** Admission of a node, and what has to be closed with it. */
export interface NodeAdmission {
  readonly admission: AccessAdmission
  readonly reports: UsageReports
  /** Takes over what may change while the node runs: who needs a key, and limits. */
  reconfigure(config: Config): void
  /** Looks at the keys at once: they have changed. */
  refresh(): void
  /** Reason why keys and usage cannot be relied on: the file of the store is not where it was. Null when it is. */
  fault(): string | null
  /** Writes what was counted so far. */
  settle(): Promise<void>
  /** Writes the last usage and closes the store. */
  close(): Promise<void>
}

/**
 * Opens the access store of a configuration, takes over the keys of its file, and follows both.
 * @param sharing what this node shares of its keys
 * @throws NodeError `KEYS_FILE`, `ACCESS_STORE`
 */
export function openNodeAdmission(config: Config, logger: Logger, sharing: AccessSharing): NodeAdmission {
  try {
    return open(config, logger, sharing)
  } catch (error) {
    if (error instanceof KeyFileError) throw new NodeError('KEYS_FILE', error.message, { cause: error })
    throw error instanceof AccessError ? toAccessNodeError(error) : error
  }
}

function open(config: Config, logger: Logger, sharing: AccessSharing): NodeAdmission {
  const store = AccessStore.open({ dataDir: config.dataDir, checked: true, fleet: sharing.sharesKeys })
  let file: WatchedKeyFile | null
  let admission: AccessAdmission
  let book: AccessBook
  try {
    file = openKeyFile(config.keysFile, store, logger)
    store.setTimezone(config.quotaTimezone)
    const shared = sharing.open(store)
    book = shared.book
    admission = new AccessAdmission({
      book,
      methods: METHODS,
      clocks: SYSTEM_CLOCKS,
      timezone: config.quotaTimezone,
      retention: config.usageRetention,
      rules: accessRulesFromConfig(config),
      others: shared.others,
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
    setInterval(() => attempt(() => files.assert(), complain), FLUSH_PERIOD_MILLISECONDS),
    setInterval(() => attempt(() => admission.refresh(), complain), REFRESH_PERIOD_MILLISECONDS),
    setInterval(() => void admission.flush().catch(complain), FLUSH_PERIOD_MILLISECONDS),
    setInterval(() => void admission.prune().catch(complain), DAY_MILLISECONDS),
  ]
  for (const timer of timers) timer.unref()
  void admission.prune().catch(complain)
  return {
    admission,
    reports: new UsageReports(admission, book, SYSTEM_CLOCKS.monotonic),
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
    settle: () => admission.flush().catch(complain),
    close: async () => {
      for (const timer of timers) clearInterval(timer)
      file?.close()
      await admission.flush().catch(complain)
      await store.close()
    },
  }
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
    next = now + COMPLAINT_PERIOD_MILLISECONDS
    action(value)
  }
}
