import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { asBuffer } from '../../util/bytes.ts'
import { StorageError, type StorageErrorCode } from '../errors.ts'
import { makePrivateFolder, restrictModes, storePaths } from '../fileModes.ts'
import { readFormat, recordProgram } from '../formats/formatTable.ts'
import { assertPresent } from '../formats/storeFormat.ts'
import { makeLockFile } from '../lockFile.ts'
import { recordStoresCreated } from '../storeFile.ts'
import { ACCESS_FORMATS, accessFormatTable } from './accessFormat.ts'
import {
  ACCESS_FOLDER,
  type AccessTable,
  type AccessTables,
  assertAccessUndamaged,
  openAccessTables,
} from './accessTables.ts'
import { AccessError } from './errors.ts'
import { FleetUsage } from './fleetUsage.ts'
import { assertKeysThere, recordKeys, recordNoKeys } from './keyedDirectory.ts'
import { decodeKey, encodeKey, type KeyRecord } from './keyRecord.ts'
import {
  addUsage,
  type DayUsage,
  decodeUsage,
  encodeUsage,
  mergeDays,
  parseUsageKey,
  usageKey,
} from './usageRecord.ts'

const REVISION_KEY = Buffer.from('revision')
const TIMEZONE_KEY = Buffer.from('timezone')
const REVISION_BYTES = 6

/** What users can do about a refused format. */
const FORMAT_ADVICE: Partial<Record<StorageErrorCode, string>> = {
  STORAGE_NEWER: 'run a newer build',
  STORAGE_OLDER: 'stop the node and convert its directory with `rhizome migrate`',
}

/** Most rows that one transaction removes, so that none delays the others for long. */
const PRUNED_AT_ONCE = 1000

/** Options for opening an access store. */
export interface AccessStoreOptions {
  /** The data directory. */
  readonly dataDir: string
  /** Reads every page before the store is used: only where no other process writes it. */
  readonly checked?: boolean
  /** Whether the node belongs to a fleet: its keys are those of the fleet then, and the others open nothing. */
  readonly fleet?: boolean
}

/**
 * Keys and their usage, in an LMDB environment of their own that several processes open: the front thread of
 * a node and commands. Any process may change keys, and each change gets a new revision; only the node writes
 * usage. A resolved promise of this store means that the change is on disk, and reads return only what is on
 * disk.
 */
export class AccessStore {
  readonly #root: AccessTables['root']
  readonly #metadata: AccessTable
  readonly #keys: AccessTable
  readonly #usage: AccessTable
  readonly #dataDir: string
  readonly #fleetKeys: AccessTable
  readonly #isInFleet: boolean
  /** What is counted for the fleet. */
  readonly fleetUsage: FleetUsage
  #writing: Promise<unknown> = Promise.resolve()

  private constructor(dataDir: string, tables: AccessTables, isInFleet: boolean) {
    const { root, metadata, keys, usage, fleet } = tables
    this.#dataDir = dataDir
    this.#fleetKeys = fleet.keys
    this.#isInFleet = isInFleet
    this.fleetUsage = new FleetUsage(tables)
    this.#root = root
    this.#metadata = metadata
    this.#keys = keys
    this.#usage = usage
  }

  /**
   * Opens the store, or creates it unless the data directory had one with keys.
   * @throws AccessError `ACCESS_FORMAT`, `ACCESS_DAMAGED`
   */
  static open({ dataDir, checked = false, fleet = false }: AccessStoreOptions): AccessStore {
    const path = join(dataDir, ACCESS_FOLDER)
    assertKeysThere(dataDir)
    makePrivateFolder(path)
    assertAccessUndamaged(path, checked ? 'all' : 'none')
    makeLockFile(path)
    const tables = openAccessTables(path)
    const store = new AccessStore(dataDir, tables, fleet)
    store.#checkFormat(path)
    store.#noteKeys()
    recordStoresCreated([path])
    restrictModes(storePaths(path))
    return store
  }

  /** Revision of the keys, which grows with every change. Includes what other processes have committed. */
  revision(): number {
    this.#root.resetReadTxn()
    return this.#metadata.get(REVISION_KEY)?.readUIntBE(0, REVISION_BYTES) ?? 0
  }

  /**
   * All keys by id. Of the keys of a fleet and those of this node alone, one kind is in force; the others are there
   * disabled, so that requests still need a key.
   */
  keys(): KeyRecord[] {
    this.#root.resetReadTxn()
    const fleet = this.#allFleetKeys()
    const local = this.#allKeys()
    const [valid, other] = this.#isInFleet ? [fleet, local] : [local, fleet]
    const ids = new Set(valid.map(({ id }) => id))
    const idle = other.filter(({ id }) => !ids.has(id)).map((key) => ({ ...key, disabled: true }))
    return idle.length === 0 ? valid : [...valid, ...idle]
  }

  /**
   * Takes over keys as the fleet has them.
   * @param isWhole whether these are all; those of before that are not among them are disabled then
   * @returns whether anything changed
   */
  takeFleetKeys(keys: readonly KeyRecord[], isWhole: boolean): boolean {
    this.#root.resetReadTxn()
    const before = new Map(this.#allFleetKeys().map((key) => [key.id, key]))
    const next = new Map(keys.map((key) => [key.id, key]))
    for (const [id, key] of isWhole ? before : []) if (!next.has(id)) next.set(id, { ...key, disabled: true })
    const changed = [...next.values()].filter((key) => {
      const old = before.get(key.id)
      return old === undefined || !encodeKey(old).equals(encodeKey(key))
    })
    if (changed.length === 0) return false
    this.#change(() => {
      for (const key of changed) this.#fleetKeys.putSync(Buffer.from(key.id), encodeKey(key))
    })
    return true
  }

  /**
   * Adds a key.
   * @throws AccessError `ACCESS_TAKEN`
   */
  create(key: KeyRecord): void {
    this.#change(() => {
      for (const other of this.#allKeys()) {
        if (other.id === key.id) throw new AccessError('ACCESS_TAKEN', `there is a key ${key.id} already`)
        if (other.hash.equals(key.hash)) {
          throw new AccessError('ACCESS_TAKEN', `the key ${other.id} has this secret already`)
        }
      }
      this.#putKey(key)
    })
  }

  /**
   * Changes a key and returns the changed record.
   * @throws AccessError `ACCESS_UNKNOWN_KEY`, and what the change throws
   */
  update(id: string, change: (key: KeyRecord) => KeyRecord): KeyRecord {
    return this.#change(() => {
      const bytes = this.#keys.get(Buffer.from(id))
      if (bytes === undefined && this.#fleetKeys.get(Buffer.from(id)) !== undefined) {
        throw new AccessError(
          'ACCESS_FROM_FLEET',
          `the key ${id} is one of the fleet: give --fleet to change it`,
        )
      }
      if (bytes === undefined)
        throw new AccessError('ACCESS_UNKNOWN_KEY', `there is no key ${id}: see \`key list\``)
      const changed = change(decodeKey(id, asBuffer(bytes)))
      this.#putKey(changed)
      return changed
    })
  }

  /**
   * Replaces the keys of the file by these; whether they are disabled and when they were created is
   * preserved.
   * @throws AccessError `ACCESS_TAKEN` when a key of the store has such an id or hash
   */
  replaceFileKeys(keys: readonly KeyRecord[]): void {
    this.#root.resetReadTxn()
    const stored = this.#allKeys()
    const before = new Map(stored.filter(({ fromFile }) => fromFile).map((key) => [key.id, key]))
    const next = keys.map((key) => {
      const { disabled = false, created = key.created } = before.get(key.id) ?? {}
      return { ...key, disabled, created }
    })
    for (const own of stored.filter(({ fromFile }) => !fromFile)) {
      const clash = next.find(({ id, hash }) => id === own.id || hash.equals(own.hash))
      if (clash !== undefined) {
        throw new AccessError(
          'ACCESS_TAKEN',
          `the key ${clash.id} is also one of the access store (${own.id})`,
        )
      }
    }
    const isSame = ({ id, ...key }: KeyRecord) => {
      const old = before.get(id)
      return old !== undefined && encodeKey(old).equals(encodeKey({ id, ...key }))
    }
    if (next.length === before.size && next.every(isSame)) return
    this.#change(() => {
      for (const id of before.keys()) this.#keys.removeSync(Buffer.from(id))
      for (const key of next) this.#putKey(key)
    })
  }

  /** IANA name of the timezone in which days are counted; UTC until a node sets it. */
  timezone(): string {
    return this.#metadata.get(TIMEZONE_KEY)?.toString('utf8') ?? 'UTC'
  }

  /** Sets the timezone in which days are counted from now on. */
  setTimezone(name: string): void {
    if (this.timezone() !== name)
      this.#root.transactionSync(() => this.#metadata.putSync(TIMEZONE_KEY, Buffer.from(name)))
  }

  /** Adds to the usage, atomically; resolves when it is on disk. */
  addUsage(added: readonly DayUsage[]): Promise<void> {
    if (this.fleetUsage.mark() !== null) return this.fleetUsage.add(added)
    return this.#inOrder(() =>
      added.map(({ id, day, methods }) => {
        const sum = new Map(this.#usageOf(id, day))
        for (const [method, usage] of methods) sum.set(method, addUsage(sum.get(method), usage))
        return () => this.#usage.put(usageKey(id, day), encodeUsage(sum))
      }),
    )
  }

  /**
   * Usage of a key from one day to another, both included, oldest first. In a fleet: of all members as far as known,
   * with all that this one counted.
   */
  usage(id: string, first: number, last: number): DayUsage[] {
    this.#root.resetReadTxn()
    return mergeDays(this.#sums(id, first, last), this.fleetUsage.own(id, first, last))
  }

  /** The same without what this member of a fleet counted and others cannot know yet. */
  summedUsage(id: string, first: number, last: number): DayUsage[] {
    this.#root.resetReadTxn()
    return this.#sums(id, first, last)
  }

  #sums(id: string, first: number, last: number): DayUsage[] {
    const days: DayUsage[] = []
    for (const { key, value } of this.#usage.getRange({
      start: usageKey(id, first),
      end: usageKey(id, last + 1),
    })) {
      const place = parseUsageKey(asBuffer(key))
      days.push({ ...place, methods: decodeUsage(asBuffer(value), place) })
    }
    return days
  }

  /** Ids with usage, including those of removed keys. */
  usedIds(): string[] {
    this.#root.resetReadTxn()
    return [...new Set([...this.#idsOf(this.#usage), ...this.fleetUsage.ownIds()])]
  }

  #idsOf(table: AccessTable): string[] {
    const ids: string[] = []
    let start = Buffer.alloc(1)
    for (;;) {
      const next = [...table.getKeys({ start, limit: 1 })][0]
      if (next === undefined) return ids
      const { id } = parseUsageKey(asBuffer(next))
      ids.push(id)
      start = Buffer.concat([Buffer.from(id), Buffer.from([1])])
    }
  }

  /** Removes the usage of days before this one; returns the number of rows removed. */
  async pruneUsage(firstDay: number): Promise<number> {
    let removed = 0
    this.#root.resetReadTxn()
    for (const id of this.#idsOf(this.#usage)) {
      const range = { start: usageKey(id, 0), end: usageKey(id, firstDay), limit: PRUNED_AT_ONCE }
      for (;;) {
        const old = [...this.#usage.getKeys(range)].map((key) => Buffer.from(asBuffer(key)))
        if (old.length === 0) break
        await this.#inOrder(() => old.map((key) => () => this.#usage.remove(key)))
        removed += old.length
      }
    }
    return removed
  }

  /** Waits for pending writes and closes the store. */
  async close(): Promise<void> {
    await this.#writing.catch(() => undefined)
    await this.fleetUsage.close()
    await this.#root.close()
  }

  #allKeys(): KeyRecord[] {
    const keys: KeyRecord[] = []
    for (const { key, value } of this.#keys.getRange({})) {
      keys.push(decodeKey(asBuffer(key).toString('utf8'), asBuffer(value)))
    }
    return keys
  }

  #allFleetKeys(): KeyRecord[] {
    return [...this.#fleetKeys.getRange({})].map(({ key, value }) => ({
      ...decodeKey(asBuffer(key).toString('utf8'), asBuffer(value)),
      fromFleet: true,
    }))
  }

  #usageOf(id: string, day: number) {
    const bytes = this.#usage.get(usageKey(id, day))
    return bytes === undefined ? new Map() : decodeUsage(asBuffer(bytes), { id, day })
  }

  /**
   * Atomic writes of usage, which read what earlier ones wrote.
   * @param prepare reads, and returns the writes
   */
  #inOrder(prepare: () => readonly (() => Promise<boolean>)[]): Promise<void> {
    const done = this.#writing
      .catch(() => undefined)
      .then(() => {
        this.#root.resetReadTxn()
        return this.#writeAll(prepare())
      })
    this.#writing = done
    return done
  }

  /**
   * Runs one transaction. When it fails, the library rejects a promise for each of its writes and another one
   * that carries the reason: all of them are awaited, because an unhandled rejection ends the process.
   */
  async #writeAll(writes: readonly (() => Promise<boolean>)[]): Promise<void> {
    const promises: Promise<unknown>[] = []
    promises.push(
      this.#root.batch(() => {
        for (const write of writes) promises.push(write())
      }),
    )
    const [failure] = (await Promise.allSettled(promises)).filter((result) => result.status === 'rejected')
    if (failure === undefined) return
    // By now the reason is known, or never will be.
    await Promise.race([(failure.reason as { commitError?: Promise<unknown> }).commitError, setImmediate()])
    throw failure.reason
  }

  #change<T>(action: () => T): T {
    const result = this.#root.transactionSync(() => {
      const result = action()
      // Written before the keys, so that keys never exist without it.
      if (this.#hasKeys()) recordKeys(this.#dataDir)
      const revision = Buffer.alloc(REVISION_BYTES)
      revision.writeUIntBE(
        (this.#metadata.get(REVISION_KEY)?.readUIntBE(0, REVISION_BYTES) ?? 0) + 1,
        0,
        REVISION_BYTES,
      )
      this.#metadata.putSync(REVISION_KEY, revision)
      return result
    })
    if (!this.#hasKeys()) this.#noteKeys()
    return result
  }

  #hasKeys(): boolean {
    return [this.#keys, this.#fleetKeys].some((table) => [...table.getKeys({ limit: 1 })].length > 0)
  }

  /**
   * The file outside of the folder records whether the store holds keys; no other process changes keys while
   * it is written.
   */
  #noteKeys(): void {
    this.#root.transactionSync(() => (this.#hasKeys() ? recordKeys : recordNoKeys)(this.#dataDir))
  }

  #putKey(key: KeyRecord): void {
    this.#keys.putSync(Buffer.from(key.id), encodeKey(key))
  }

  /** A new store gets the current format; an existing one must have it. */
  #checkFormat(path: string): void {
    try {
      this.#root.transactionSync(() => {
        const table = accessFormatTable({ metadata: this.#metadata })
        const found = readFormat(table)
        if (found !== null) {
          assertPresent(ACCESS_FORMATS, found)
        } else if (this.#keys.getCount() > 0 || this.#usage.getCount() > 0) {
          throw new StorageError('STORAGE_FORMAT', 'the access store does not say which format it has')
        }
        recordProgram(table, ACCESS_FORMATS.current)
      })
    } catch (error) {
      void this.#root.close()
      if (!(error instanceof StorageError)) throw error
      const advice = FORMAT_ADVICE[error.code] ?? 'use the version that wrote it'
      throw new AccessError('ACCESS_FORMAT', `${path}: ${error.message}: ${advice}`, { cause: error })
    }
  }
}
