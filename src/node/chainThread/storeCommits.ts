import { join } from 'node:path'
import { readHead, writeTrial } from '../../chain/tables/metadata.ts'
import { storeFolders } from '../../execution/chainFolders.ts'
import type { OpenChain } from '../../execution/openChain.ts'
import type { StorageError } from '../../storage/errors.ts'
import { FilesInPlace } from '../../storage/filesInPlace.ts'
import { assertFreeSpace } from '../../storage/freeSpace.ts'
import { storeFile } from '../../storage/storeFile.ts'
import { isMisplaced } from '../../storage/unwritable.ts'
import { PoolJournal } from '../../txpool/poolJournal.ts'
import { NodeError, toStoreError } from '../errors.ts'
import { StoreGuard } from './storeGuard.ts'

/** File of the pool's journal below the data directory. */
export const POOL_JOURNAL = 'pool.journal'

/** Time between two looks whether the files are where they were, milliseconds. */
const FILES_CHECK_MILLISECONDS = 1000

export interface StoreCommitsParams {
  readonly open: OpenChain
  readonly dataDir: string
  /** False where nobody relies on the files after the process: they are not looked at then. */
  readonly mayBeMoved: boolean
  /** Called when writes begin to fail, with the reason, and with null when they are possible again. */
  onChange(fault: StorageError | null): void
  /** Called once when a store is of no use any more in this process, with a reason that says what helps. */
  onBroken(error: NodeError): void
}

/** Commits of what the chain thread did, and whether they are possible: both stores and the pool's journal. */
export class StoreCommits {
  readonly journal: PoolJournal
  readonly #open: OpenChain
  readonly #guard: StoreGuard
  readonly #files: FilesInPlace
  readonly #timer: NodeJS.Timeout

  /** @throws StorageError when the journal cannot be used */
  constructor({ open, dataDir, mayBeMoved, onChange, onBroken }: StoreCommitsParams) {
    const journal = join(dataDir, POOL_JOURNAL)
    this.journal = new PoolJournal(journal)
    this.#open = open
    const files = storeFolders(dataDir).map(storeFile)
    this.#files = mayBeMoved ? new FilesInPlace(files, [journal]) : new FilesInPlace([], [])
    this.#guard = new StoreGuard({
      tryWrite: () => this.#tryWrite(dataDir),
      onChange: (fault) => {
        const damage = fault !== null && isMisplaced(fault, files) ? toStoreError(fault, dataDir) : null
        if (damage === null) return onChange(fault)
        this.#guard.close()
        onBroken(damage)
      },
      onBroken: (thrown) => onBroken(brokenStore(dataDir, thrown)),
    })
    open.environment.watchWrites((error) => {
      this.#guard.failed(error)
      this.#tryRead()
    })
    this.#timer = setInterval(() => this.#lookAtFiles(), FILES_CHECK_MILLISECONDS)
    this.#timer.unref()
  }

  /** Reason why nothing is written; null when it is. */
  get fault(): StorageError | null {
    return this.#guard.fault
  }

  /** The cheap question before what ends with {@link all}. @throws StorageError `STORAGE_UNWRITABLE` */
  assertNoFault(): void {
    this.#guard.assertWritable()
  }

  /**
   * To be asked before something is begun. @throws StorageError `STORAGE_UNWRITABLE` while the stores take no writes
   */
  assertWritable(): void {
    this.#guard.assertWritable()
    this.#look()
  }

  /**
   * Makes durable what happened so far: one commit for all who ask at the same time.
   * @throws StorageError `STORAGE_UNWRITABLE`
   */
  async all(): Promise<void> {
    await this.flush()
    this.#look()
  }

  /** The same at the end, when nobody asks any more whether it lasts. @throws StorageError `STORAGE_UNWRITABLE` */
  async flush(): Promise<void> {
    try {
      await Promise.all([this.journal.flush(), this.#open.environment.flushed()])
    } catch (error) {
      throw this.#guard.failed(error)
    }
  }

  /**
   * The same for what is done once the chain store has it: what the pool's journal could not take is written as soon as
   * it can be, and is no failure of what was asked for.
   * @throws StorageError `STORAGE_UNWRITABLE`
   */
  async chain(): Promise<void> {
    try {
      await this.#open.environment.flushed()
    } catch (error) {
      throw this.#guard.failed(error)
    }
    this.#look()
    try {
      await this.journal.flush()
    } catch (error) {
      const failure = this.#guard.failed(error)
      if (this.#guard.fault === null) throw failure
    }
  }

  /** Resolves when the chain store has taken a write: what was committed before is on disk then, too. */
  async probe(): Promise<void> {
    this.#open.environment.transaction((writer) => writeTrial(writer))
    await this.all()
  }

  /** Looks and tries no more. */
  stop(): void {
    clearInterval(this.#timer)
    this.#guard.close()
  }

  /** Everything that waits to be written, and something more. */
  async #tryWrite(dataDir: string): Promise<void> {
    this.#files.assert()
    assertFreeSpace(dataDir)
    this.#open.stateStore.commit()
    await this.journal.flush()
    this.#open.environment.transaction((writer) => writeTrial(writer))
  }

  /** A store that a failed write broke says so at the next read. */
  #tryRead(): void {
    try {
      const { environment } = this.#open
      environment.refresh()
      readHead(environment)
    } catch (error) {
      this.#guard.failed(error)
    }
  }

  /** Whoever does not send learns it, too. */
  #lookAtFiles(): void {
    try {
      this.#look()
    } catch (error) {
      if (this.#guard.fault === null) throw error
    }
  }

  #look(): void {
    try {
      this.#files.assert()
    } catch (error) {
      throw this.#guard.failed(error)
    }
  }
}

function brokenStore(dataDir: string, cause: unknown): NodeError {
  return new NodeError(
    'DATA_DIR_UNWRITABLE',
    `the disk failed where a store in ${dataDir} records its commits, and this process can use it no more: see to the ` +
      'disk and start again; what was acknowledged is stored, the last write is not',
    { cause },
  )
}
