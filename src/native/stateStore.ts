import type {
  AccountFields,
  AccountWrite,
  AncestorMetadata,
  CodeInfo,
  ForkAccount,
  ForkOptions,
  ForkStats,
  ForkWanted,
  HeadProgress,
  HistoryStats,
  LineReport,
  LogStats,
  StateStore as NativeStateStore,
  OlderProgress,
  OlderReport,
  StateReport,
  StateStoreFormat,
  StorageCell,
  StoreOptions,
  StoreStats,
} from '../../native/addon/index.d.ts'
import { addon } from './addon.ts'
import { native } from './errors.ts'

/** Sizes of the tables with values of earlier states. */
export type StoredHistoryTables = HistoryStats

/** The log of trie nodes. */
export interface StoredLog extends Omit<LogStats, 'fault'> {
  /** Reason why the last attempt to seal or to copy a part of it failed; null when it did not. */
  readonly fault: string | null
}

/**
 * States, code and ancestor facts, in LMDB that only the native core opens. Threads that open the same folder
 * share one store and its caches. Roots and hashes have 32 bytes, addresses 20; slots are big-endian, up to
 * 32 bytes. Every method throws `NativeError`: `MissingState` for a root that is not here.
 */
export class StateStore {
  /** For calls that take the store itself. */
  readonly handle: NativeStateStore

  private constructor(handle: NativeStateStore) {
    this.handle = handle
  }

  /**
   * Opens the store in a folder, creating it when missing and converting an older format, unless it is only read. A
   * store that is open already keeps its options.
   * @throws NativeError `StoreFormat` for a format that cannot be used
   */
  static open(path: string, options: StoreOptions = {}): StateStore {
    return new StateStore(native(() => addon.StateStore.open(path, options)))
  }

  /** Format of the store in a folder; null where there is none, or a new one. Nothing is written or refused. */
  static format(path: string): StateStoreFormat | null {
    return native(() => addon.stateStoreFormat(path))
  }

  /**
   * Closes the files for all threads of the process, at once instead of when the last thread lets go of its object.
   * What was not committed is lost; later accesses fail.
   */
  close(): void {
    native(() => this.handle.close())
  }

  /** A store that is gone with the object. */
  static inMemory(options: StoreOptions = {}): StateStore {
    return new StateStore(native(() => addon.StateStore.inMemory(options)))
  }

  /** True when the state under this root is here. */
  hasRoot(root: Uint8Array): boolean {
    return native(() => this.handle.hasRoot(root))
  }

  /** Records the Unitrie root after a block whose header has none (before RSKIP126). Durable with the next commit. */
  putRoot(blockHash: Uint8Array, root: Uint8Array): void {
    native(() => this.handle.putRoot(blockHash, root))
  }

  /** The Unitrie root that was recorded for a block. */
  rootFor(blockHash: Uint8Array): Buffer | null {
    return native(() => this.handle.rootFor(blockHash))
  }

  /** Names the root of the state after a block that a user edited, for this process alone; null for none any more. */
  putEditedRoot(blockHash: Uint8Array, root: Uint8Array | null): void {
    native(() => this.handle.putEditedRoot(blockHash, root))
  }

  /** Makes exactly these the edited states. @param entries block hashes and roots by turns */
  replaceEditedRoots(entries: readonly Uint8Array[]): void {
    native(() => this.handle.replaceEditedRoots(entries as Uint8Array[]))
  }

  /** Root of the state after a block that a user edited; null where it was not. */
  editedRoot(blockHash: Uint8Array): Buffer | null {
    return native(() => this.handle.editedRoot(blockHash))
  }

  /** Keeps the facts of a connected block, which its descendants read. Durable with the next commit. */
  putAncestor(metadata: AncestorMetadata): void {
    native(() => this.handle.putAncestor(metadata))
  }

  /** Writes accounts onto the state under a root and keeps the result, whose root is returned. */
  writeAccounts(root: Uint8Array, accounts: readonly AccountWrite[]): Buffer {
    return native(() => this.handle.writeAccounts(root, accounts as AccountWrite[]))
  }

  /** Makes everything kept so far durable: one synced transaction. */
  commit(): void {
    native(() => this.handle.commit())
  }

  /** Names the root of the head, whose reads are cached. */
  setHead(root: Uint8Array): void {
    native(() => this.handle.setHead(root))
  }

  /** The account under a root; null when there is none. */
  account(root: Uint8Array, address: Uint8Array): AccountFields | null {
    return native(() => this.handle.account(root, address))
  }

  /** Code of an account; empty when there is none. */
  code(root: Uint8Array, address: Uint8Array): Buffer {
    return native(() => this.handle.code(root, address))
  }

  /** Hash and length of the code of an account, without loading it; null when there is none. */
  codeInfo(root: Uint8Array, address: Uint8Array): CodeInfo | null {
    return native(() => this.handle.codeInfo(root, address))
  }

  /** True when the account has a contract marker. */
  isContract(root: Uint8Array, address: Uint8Array): boolean {
    return native(() => this.handle.isContract(root, address))
  }

  /** Bytes of a cell as stored; null when it is absent. */
  storage(root: Uint8Array, address: Uint8Array, slot: Uint8Array): Buffer | null {
    return native(() => this.handle.storage(root, address, slot))
  }

  /** At most `limit` cells of an account in trie order, after the slot `after` when one is given. */
  storageCells(
    root: Uint8Array,
    address: Uint8Array,
    after: Uint8Array | null,
    limit: number,
  ): StorageCell[] {
    return native(() => this.handle.storageCells(root, address, after, limit))
  }

  /** Proof of an account and some of its cells (consensus.md §6.8) as JSON text. */
  proof(root: Uint8Array, address: Uint8Array, slots: readonly Uint8Array[]): Buffer {
    const text = native(() => this.handle.proof(root, address, slots as Uint8Array[], false))
    if (text === null) throw new TypeError('a proof that does not have to be in memory')
    return text
  }

  /** The same without waiting for the disk; null for what is not all in memory. */
  proofInMemory(root: Uint8Array, address: Uint8Array, slots: readonly Uint8Array[]): Buffer | null {
    return native(() => this.handle.proof(root, address, slots as Uint8Array[], true))
  }

  /** Reads every node of the state under a root; throws at the first that is missing or corrupt. */
  checkRoot(root: Uint8Array): StateReport {
    return native(() => this.handle.checkRoot(root))
  }

  /**
   * Compares the table of the newest state with the trie of the state that it stands for; throws at the first
   * difference.
   * @returns the root of that state; null where the table stands for none at present
   */
  checkHead(): Buffer | null {
    return native(() => this.handle.checkHead())
  }

  /**
   * True when the state under this root is the newest one of the table of the newest state, or an earlier one for which
   * that table stood: reads of it do not walk down the trie.
   */
  hasOnLine(root: Uint8Array): boolean {
    return native(() => this.handle.hasOnLine(root))
  }

  /**
   * Compares the earlier states of that table, and what is recorded of each change, with the tries; throws at the first
   * difference.
   * @returns how many there are; null where the table stands for none at present
   */
  checkLine(): LineReport | null {
    return native(() => this.handle.checkLine())
  }

  /** True when values of that state are there without its trie: there, or because it was converted (see below). */
  hasValues(root: Uint8Array): boolean {
    return native(() => this.handle.hasValues(root))
  }

  /**
   * Has a thread of the store convert the states from before those of that table, of the branch that ends with this
   * block, so that they are read without their tries. It waits for the table, takes half of a core at most, ends where
   * nothing is left to convert, and goes on at a later start.
   */
  startConversion(head: Uint8Array): void {
    native(() => this.handle.startConversion(head))
  }

  /** Does the same on this thread, to its end, for tests and tools. */
  convertOlder(head: Uint8Array): void {
    native(() => this.handle.convertOlder(head))
  }

  /** How far that is, by numbers of blocks; null where there was nothing to convert. */
  olderProgress(): OlderProgress | null {
    return native(() => this.handle.olderProgress())
  }

  /**
   * Compares the converted states with the tries; throws at the first difference.
   * @returns how many there are; null where there are none, and where conversion goes on meanwhile
   */
  checkOlder(): OlderReport | null {
    return native(() => this.handle.checkOlder())
  }

  /** Progress of the table of the newest state. */
  headProgress(): HeadProgress {
    return native(() => this.handle.headProgress())
  }

  /**
   * The state under a Unitrie root as headers before RSKIP126 name it (consensus.md §6.9): 32 bytes, or null when
   * `signal` ended it. Reads the whole state on one thread beside JavaScript, past the cache of nodes; what it holds in
   * memory does not grow with the state.
   */
  async orchidStateRoot(root: Uint8Array, signal?: AbortSignal): Promise<Buffer | null> {
    const reading = native(() => new addon.OrchidStateRoot(this.handle, root))
    const stop = () => reading.stop()
    if (signal?.aborted === true) return null
    signal?.addEventListener('abort', stop)
    try {
      return await reading.run()
    } finally {
      signal?.removeEventListener('abort', stop)
    }
  }

  /**
   * Has everything that the states of this store do not hold read from an upstream, before anything is read. Threads that
   * read wait until what they want is given, or refused; `ask` is called in this thread, which must not read.
   */
  attachFork(options: ForkOptions, ask: (wanted: ForkWanted) => void): void {
    native(() => this.handle.attachFork(options, ask))
  }

  /** Gives an account to reads that wait for it. */
  giveForkAccount(of: ForkWanted, account: ForkAccount): void {
    native(() => this.handle.forkAccount(of, account))
  }

  /** Gives a cell, bytes as stored; none where it is absent. */
  giveForkCell(of: ForkWanted, value: Uint8Array): void {
    native(() => this.handle.forkCell(of, value))
  }

  /** Gives a block below the fork. */
  giveForkBlock(metadata: AncestorMetadata): void {
    native(() => this.handle.forkBlock(metadata))
  }

  /** Says in a sentence why there is no answer. */
  refuseForkRead(of: ForkWanted, reason: string, isFinal: boolean): void {
    native(() => this.handle.forkRefusal(of, reason, isFinal))
  }

  /** Counts of reads of the upstream; null where the chain is no fork. */
  forkStats(): ForkStats | null {
    return native(() => this.handle.forkStats())
  }

  /**
   * Whether this thread may wait for the upstream, as every one may at first; where it may not, a read of what was never
   * fetched asks for it and throws `NativeError` `NotFetched`.
   */
  mayWaitForFork(mayWait: boolean): void {
    native(() => this.handle.mayWaitForFork(mayWait))
  }

  /** Reads that wait for the upstream fail from now on. */
  closeFork(): void {
    native(() => this.handle.closeFork())
  }

  /**
   * Keeps the states of so many blocks from now on, and gives up what only older ones have; null keeps all. Nothing is
   * given up any more when it returns.
   */
  setProofs(blocks: number | null): void {
    native(() => this.handle.setProofs(blocks))
  }

  /** Position of the log of nodes before which the state has no node; null when the state is not here. */
  floor(root: Uint8Array): number | null {
    return native(() => this.handle.floor(root))
  }

  /**
   * Position of the log up to which nothing is needed, if this state and those that were made of it are all that is kept;
   * null when that gives nothing up.
   */
  prunable(root: Uint8Array): number | null {
    return native(() => this.handle.prunable(root))
  }

  /** Gives up the log before such a position, durably. @returns bytes; zero when it has to wait for a commit */
  dropBefore(end: number): number {
    return native(() => this.handle.dropBefore(end))
  }

  /** Seals what is due of the log and removes what is of no use, at once: for tests and tools. */
  settleEpochs(): void {
    native(() => this.handle.settleEpochs())
  }

  /**
   * Has the values of all states before this one given up, by a thread of the store.
   * @returns where the line of states begins at present, a number that grows as they are given up
   */
  dropHistoryBefore(root: Uint8Array): number {
    return native(() => this.handle.dropHistoryBefore(root))
  }

  /** Has no values given up any more when it returns. */
  keepHistory(): void {
    native(() => this.handle.keepHistory())
  }

  /** Gives up at once what is to be given up of earlier values: for tests and tools. */
  settleHistory(): void {
    native(() => this.handle.settleHistory())
  }

  /** Sizes of the tables with values of earlier states, for metrics. */
  historyStats(): StoredHistoryTables {
    return native(() => this.handle.historyStats())
  }

  /** Reads the files of the log of nodes; throws for one that is no sequence of nodes. */
  checkLog(): void {
    native(() => this.handle.checkLog())
  }

  /** Sizes of the log of nodes, for metrics. */
  logStats(): StoredLog {
    const { fault = null, ...sizes } = native(() => this.handle.logStats())
    return { ...sizes, fault }
  }

  /** Bytes of each table of the environment, and under `free` what no table has of its file, for metrics. */
  tableSizes(): readonly { readonly table: string; readonly bytes: number }[] {
    return native(() => this.handle.tableSizes())
  }

  /** Sizes, for metrics. */
  stats(): StoreStats {
    return native(() => this.handle.stats())
  }
}
