import { join } from 'node:path'
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
import { decodeFleetKey, encodeFleetKey, type FleetKey, type FleetKeyChange, holdsOver } from './fleetKey.ts'
import { assertKeysThere, recordKeys, recordNoKeys } from './keyedDirectory.ts'
import { decodeKey, encodeKey, type KeyRecord } from './keyRecord.ts'
import { LifeUsage } from './lifeUsage.ts'
import { OldUsage } from './oldFleet.ts'
import type { DayUsage } from './usageRecord.ts'

const REVISION_KEY = Buffer.from('revision')
const TIMEZONE_KEY = Buffer.from('timezone')
const REVISION_BYTES = 6

const OLD_FLEET_ADVICE =
  'the access store is one of a fleet of an earlier version: stop the node and run `rhizome fleet upgrade` with its configuration once'

/** The advice to users about a refused format. */
const FORMAT_ADVICE: Partial<Record<StorageErrorCode, string>> = {
  STORAGE_NEWER: 'run a newer build',
  STORAGE_OLDER: 'stop the node and convert its directory with `rhizome migrate`',
}

/** Options for opening an access store. */
export interface AccessStoreOptions {
  /** The data directory. */
  readonly dataDir: string
  /** Reads every page before the store is used: only where no other process writes it. */
  readonly checked?: boolean
  /** True when the node belongs to a fleet: its keys are those of the fleet then, and the others open nothing. */
  readonly fleet?: boolean
  /** Takes one of a fleet of an earlier version, to bring it over. */
  readonly takesOld?: boolean
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
  /** Usage of this node and, in a fleet, of the others. */
  readonly lives: LifeUsage
  /** The usage of an earlier version that has to be brought over; null for none. */
  readonly old: OldUsage | null

  private constructor(dataDir: string, tables: AccessTables, isInFleet: boolean) {
    const { root, metadata, keys, usage, fleetKeys } = tables
    this.old = OldUsage.read(tables)
    this.#dataDir = dataDir
    this.#fleetKeys = fleetKeys
    this.#isInFleet = isInFleet
    this.lives = new LifeUsage(tables)
    this.#root = root
    this.#metadata = metadata
    this.#keys = keys
    this.#usage = usage
  }

  /**
   * Opens the store, or creates it unless the data directory had one with keys.
   * @throws AccessError `ACCESS_FORMAT`, `ACCESS_DAMAGED`, `ACCESS_OLD_FLEET`
   */
  static open({
    dataDir,
    checked = false,
    fleet = false,
    takesOld = false,
  }: AccessStoreOptions): AccessStore {
    const path = join(dataDir, ACCESS_FOLDER)
    assertKeysThere(dataDir)
    makePrivateFolder(path)
    assertAccessUndamaged(path, checked ? 'all' : 'none')
    makeLockFile(path)
    const tables = openAccessTables(path)
    try {
      const store = new AccessStore(dataDir, tables, fleet)
      if (store.old !== null && !takesOld) throw new AccessError('ACCESS_OLD_FLEET', OLD_FLEET_ADVICE)
      store.#checkFormat(path)
      store.#recordKeys()
      recordStoresCreated([path])
      restrictModes(storePaths(path))
      return store
    } catch (error) {
      void tables.root.close()
      throw error
    }
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
    const fleet = this.fleetKeys().map(({ key }) => key)
    const local = this.#allKeys()
    const [valid, other] = this.#isInFleet ? [fleet, local] : [local, fleet]
    const ids = new Set(valid.map(({ id }) => id))
    const idle = other.filter(({ id }) => !ids.has(id)).map((key) => ({ ...key, disabled: true }))
    return idle.length === 0 ? valid : [...valid, ...idle]
  }

  /** Keys of the fleet as they are known here, those that were removed as well. */
  fleetKeys(): FleetKey[] {
    this.#root.resetReadTxn()
    return [...this.#fleetKeys.getRange({})].map(({ key, value }) =>
      decodeFleetKey(asBuffer(key).toString('utf8'), asBuffer(value)),
    )
  }

  /** Takes over keys of the fleet that hold over those which are known here; whether there are any. */
  takeFleetKeys(keys: readonly FleetKey[]): boolean {
    this.#root.resetReadTxn()
    const isNews = (key: FleetKey) => {
      const known = this.#fleetKey(key.key.id)
      return known === null || holdsOver(key, known)
    }
    if (!keys.some(isNews)) return false
    // Another process may have changed one since.
    this.#change(() => {
      for (const key of keys.filter(isNews)) this.#putFleetKey(key)
    })
    return true
  }

  /**
   * Changes a key of the fleet at this member alone and returns its record. @throws AccessError what the change throws
   */
  changeFleetKey(id: string, change: FleetKeyChange): FleetKey {
    return this.#change(() => {
      const changed = change(this.#fleetKey(id))
      this.#putFleetKey(changed)
      return changed
    })
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
          `the key ${id} is one of the fleet: give --fleet to change it, or --local to change it at this member`,
        )
      }
      if (bytes === undefined)
        throw new AccessError('ACCESS_UNKNOWN_KEY', `there is no key ${id}: see \`key list\``)
      const changed = change(decodeKey(id, asBuffer(bytes)))
      this.#putKey(changed)
      return changed
    })
  }

  /** Removes a key. @throws AccessError `ACCESS_UNKNOWN_KEY`, `ACCESS_FROM_FLEET`, `ACCESS_FROM_FILE` */
  remove(id: string): void {
    // What may not be changed may not be removed.
    this.update(id, (key) => {
      if (!key.fromFile) return key
      throw new AccessError('ACCESS_FROM_FILE', `the key ${id} is of the key file: remove it there`)
    })
    this.#change(() => this.#keys.removeSync(Buffer.from(id)))
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
    return this.lives.add(added)
  }

  /** The use of a key on a day that this node counted, cost units. */
  ownCost(id: string, day: number): number {
    return this.lives.ownCost(id, day)
  }

  /**
   * Usage of a key from one day to another, both included, oldest first. In a fleet of all members, as far as it is
   * known here.
   */
  usage(id: string, first: number, last: number): DayUsage[] {
    return this.lives.usage(id, first, last)
  }

  /** Ids with usage, including those of removed keys. */
  usedIds(): string[] {
    return this.lives.ids()
  }

  /** Removes the usage of days before this one; returns the number of rows removed. */
  pruneUsage(firstDay: number): Promise<number> {
    return this.lives.prune(firstDay)
  }

  /** Waits for pending writes and closes the store. */
  async close(): Promise<void> {
    await this.lives.close()
    await this.#root.close()
  }

  #allKeys(): KeyRecord[] {
    const keys: KeyRecord[] = []
    for (const { key, value } of this.#keys.getRange({})) {
      keys.push(decodeKey(asBuffer(key).toString('utf8'), asBuffer(value)))
    }
    return keys
  }

  #fleetKey(id: string): FleetKey | null {
    const bytes = this.#fleetKeys.get(Buffer.from(id))
    return bytes === undefined ? null : decodeFleetKey(id, asBuffer(bytes))
  }

  #putFleetKey(key: FleetKey): void {
    this.#fleetKeys.putSync(Buffer.from(key.key.id), encodeFleetKey(key))
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
    if (!this.#hasKeys()) this.#recordKeys()
    return result
  }

  #hasKeys(): boolean {
    return [this.#keys, this.#fleetKeys].some((table) => [...table.getKeys({ limit: 1 })].length > 0)
  }

  /**
   * The file outside of the folder records whether the store holds keys; no other process changes keys while
   * it is written.
   */
  #recordKeys(): void {
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
      if (!(error instanceof StorageError)) throw error
      const advice = FORMAT_ADVICE[error.code] ?? 'use the version that wrote it'
      throw new AccessError('ACCESS_FORMAT', `${path}: ${error.message}: ${advice}`, { cause: error })
    }
  }
}
