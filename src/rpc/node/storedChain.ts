import { ChainStoreReader, type TransactionLocation } from '../../chain/chainStoreReader.ts'
import type { Block } from '../../chain/codec/block.ts'
import type { BlockHeader } from '../../chain/codec/header.ts'
import type { Receipt } from '../../chain/codec/receipt.ts'
import type { LogCriteria } from '../../chain/logs/logCriteria.ts'
import { type BlockReference, heightOfKey } from '../../chain/tables/blockKey.ts'
import { readHead, readHistory, readRevision, type StoredHistory } from '../../chain/tables/metadata.ts'
import type { NetworkSpec } from '../../config/networkSpec.ts'
import type { ChainEnvironment, TableSnapshot } from '../../storage/chainEnvironment.ts'
import type { ChainReader, PlacedBlock } from '../context.ts'
import { assertReceiptsKept } from '../select/history.ts'
import { BoundedCache } from './boundedCache.ts'
import { CanonicalHashes } from './canonicalHashes.ts'

/** Decoded blocks and their receipts that are kept: requests come in runs about the same few blocks. */
const KEPT_BLOCKS = 256
const KEPT_HEADERS = 2048

/**
 * The chain store as one thread reads it: everything between two calls of {@link refresh} is of one
 * moment. Blocks never change under their hash, so decoded ones are kept across moments; only a rewind of a
 * development chain takes some away.
 */
export class StoredChain implements ChainReader {
  readonly #spec: NetworkSpec
  readonly #environment: ChainEnvironment
  readonly #headers = new BoundedCache<BlockHeader>(KEPT_HEADERS)
  readonly #blocks = new BoundedCache<Block>(KEPT_BLOCKS)
  readonly #receipts = new BoundedCache<readonly Receipt[]>(KEPT_BLOCKS)
  readonly #hashes = new CanonicalHashes()
  #snapshot: TableSnapshot | null = null
  #reader: ChainStoreReader
  #head: BlockHeader | null = null
  #history: StoredHistory | null = null
  /** True when a state was ever edited, as of the last moment. */
  mayHaveEditedStates = true
  /** Rewinds of the chain that were followed. */
  #rewinds = 0

  constructor(spec: NetworkSpec, environment: ChainEnvironment) {
    this.#spec = spec
    this.#environment = environment
    this.#reader = new ChainStoreReader(spec, environment)
  }

  /** Moves to the newest moment. */
  refresh(): void {
    this.release()
    this.#environment.refresh()
    this.#snapshot = this.#environment.snapshot()
    // It grows downwards while blocks are filled in; what begins with block 1 never changes.
    if (this.#history !== null && this.#history.firstBlock > 0) this.#history = null
    this.#followRevision(this.#snapshot)
    this.#reader = new ChainStoreReader(this.#spec, this.#snapshot)
  }

  /** Gives the moment back; reads are then of the newest one. */
  release(): void {
    if (this.#snapshot !== null) {
      this.#snapshot.release()
      this.#snapshot = null
      // A thread that then waits for work would keep the moment, and the file could not use its space again.
      this.#environment.refresh()
    }
    this.#reader = new ChainStoreReader(this.#spec, this.#environment)
    this.#head = null
    this.#history = null
  }

  head(): BlockHeader {
    if (this.#head !== null) return this.#head
    const hash = readHead(this.#snapshot ?? this.#environment)
    const head = (hash === undefined ? null : this.headerByHash(hash)) ?? this.#reader.head()
    if (this.#snapshot !== null) this.#head = head
    return head
  }

  headHash(): Buffer {
    return this.#head?.hash ?? readHead(this.#snapshot ?? this.#environment) ?? this.head().hash
  }

  history(isNewest = false): StoredHistory {
    if (isNewest) {
      this.#environment.refresh()
      return readHistory(this.#environment)
    }
    this.#history ??= readHistory(this.#snapshot ?? this.#environment)
    return this.#history
  }

  headerByNumber(number: number): BlockHeader | null {
    const hash = this.hashByNumber(number)
    return hash === null ? null : this.#headers.getOrRead(hash, () => this.#reader.headerOf({ number, hash }))
  }

  headerByHash(hash: Buffer): BlockHeader | null {
    return this.#headers.getOrRead(hash, () => this.#reader.headerByHash(hash))
  }

  /** Keeps the header of a block that was just connected in this thread, so that it is neither read nor parsed. */
  knowHeader(header: BlockHeader): void {
    this.#headers.keep(header.hash, header)
  }

  blockByHash(hash: Buffer): Block | null {
    return this.#blocks.getOrRead(hash, () => this.#reader.blockByHash(hash))
  }

  storedHeader(hash: Buffer): BlockHeader | null {
    return this.headerByHash(hash) ?? this.#reader.storedHeader(hash)
  }

  hashByNumber(number: number): Buffer | null {
    return this.#reader.hashByNumber(number)
  }

  hashesByNumber(numbers: readonly number[]): Buffer {
    const read = (number: number) => {
      const hash = this.#reader.hashByNumber(number)
      if (hash === null) throw new RangeError(`no canonical block ${number}`)
      return hash
    }
    if (this.#snapshot === null) return Buffer.concat(numbers.map(read))
    this.#hashes.follow(this.head(), (hash) => this.headerByHash(hash))
    return this.#hashes.hashesAt(numbers, read)
  }

  blocksAt(number: number): readonly PlacedBlock[] {
    return this.#reader.blocksAt(number)
  }

  totalDifficulty(hash: Buffer): bigint | null {
    return this.#reader.totalDifficulty(hash)
  }

  logHeights(criteria: LogCriteria, from: number, to: number): Iterable<readonly number[]> {
    return this.#reader.logHeights(criteria, from, to)
  }

  storedReceipts(block: BlockReference): Buffer | null {
    const receipts = this.#reader.storedReceipts(block)
    if (receipts === null) assertReceiptsKept(this, block.number)
    return receipts
  }

  storedBody(block: BlockReference): Buffer | null {
    return this.#reader.storedBody(block)
  }

  copyStored(part: 'receipts' | 'bodies', key: Buffer, target: Buffer, at: number): number {
    const length = this.#reader.copyStored(part, key, target, at)
    if (length < 0 && part === 'receipts') assertReceiptsKept(this, heightOfKey(key))
    return length
  }

  receipts(block: BlockReference): readonly Receipt[] | null {
    return this.#receipts.getOrRead(block.hash, () => {
      const receipts = this.#reader.receipts(block)
      if (receipts === null) assertReceiptsKept(this, block.number)
      return receipts
    })
  }

  locateTransaction(hash: Buffer): TransactionLocation | null {
    return this.#reader.locateTransaction(hash)
  }

  storedSenders(block: BlockReference): Buffer | null {
    return this.#reader.storedSenders(block)
  }

  heightOf(hash: Buffer): number | null {
    return this.#reader.heightOf(hash)
  }

  senders(block: Block): readonly Buffer[] {
    return this.#reader.senders(block)
  }

  #followRevision(tables: TableSnapshot): void {
    const { rewinds, edits } = readRevision(tables)
    this.mayHaveEditedStates = edits > 0
    if (rewinds === this.#rewinds) return
    this.#rewinds = rewinds
    for (const cache of [this.#headers, this.#blocks, this.#receipts]) cache.clear()
  }
}
