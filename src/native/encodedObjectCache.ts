import type {
  EncodedLogs,
  LogPageWriter,
  MinedBlockBytes,
  MinedTransactionBytes,
  EncodedObjectCache as NativeEncodedObjectCache,
  TextSubject,
} from '../../native/addon/index.d.ts'
import { addon } from './addon.ts'
import { native } from './errors.ts'

/** The kind of object of which a text tells. */
export type TextName = 'receipt' | 'transaction' | 'blockReceipts' | 'fullBlock' | 'block'

/** The members of a block object beside its transactions, as JSON texts of objects. */
export interface BlockMembersText {
  readonly before: string
  readonly after: string
}

/** Receipts and body of a block as the chain store has them. */
export interface StoredLogBlock {
  /** RLP list of the receipts. */
  readonly receipts: Uint8Array
  /** RLP `[transactions, uncles]`. */
  readonly body: Uint8Array
}

/** Criteria for logs. Empty lists match anything. */
export interface LogPageCriteria {
  /** 20 bytes each; any of them. */
  readonly addresses: readonly Uint8Array[]
  /** 32 bytes each; by position any of the topics. */
  readonly topics: readonly (readonly Uint8Array[])[]
}

/** After what a page of logs takes no further block. */
export interface LogPageEnd {
  /** As many bytes. */
  readonly bytes: number
  /** More logs than these. */
  readonly logs: number
}

/** The bounds of a search of kept logs: bytes of text, and logs that are looked at. */
export interface LogSearchBounds {
  readonly bytes: number
  readonly logs: number
}

/** Logs that were found, as JSON objects with commas between; gone with the next search. */
export interface FoundLogs {
  readonly length: number
  moveTo(target: Uint8Array, at: number): void
}

/**
 * Parts of answers as JSON text, by the hash of what they tell of, bounded in bytes and shared by all threads that
 * open the same folder. Texts never change; whether their block belongs to an answer is for the caller to know.
 */
export class EncodedObjectCache {
  /** For calls that take the texts themselves. */
  readonly handle: NativeEncodedObjectCache
  readonly #searches: EncodedLogs

  private constructor(handle: NativeEncodedObjectCache) {
    this.handle = handle
    this.#searches = native(() => new addon.EncodedLogs(handle))
  }

  /** The texts of the chain in a folder. The limit in bytes counts for the one who opens first. */
  static open(folder: string, limit: number): EncodedObjectCache {
    return new EncodedObjectCache(native(() => addon.EncodedObjectCache.open(folder, limit)))
  }

  /** Texts that are gone with the object. */
  static inMemory(limit: number): EncodedObjectCache {
    return new EncodedObjectCache(native(() => addon.EncodedObjectCache.inMemory(limit)))
  }

  /** Bytes held. */
  get bytes(): number {
    return this.handle.bytes
  }

  /**
   * The text of a transaction, a receipt (both by the hash of the transaction), a block or its receipts, if it is kept.
   * @param blockHash of the block in which it has to stand
   */
  text(subject: TextName, hash: Uint8Array, blockHash: Uint8Array): Buffer | null {
    return native(() => this.handle.text(subject as TextSubject, hash, blockHash))
  }

  /**
   * Writes and keeps a block.
   * @param full whether its transactions are objects, not hashes
   * @param members JSON texts of objects: what stands before the transactions, and what after them
   * @throws NativeError `InvalidArgument` when it is not what the store keeps
   */
  writeBlock(full: boolean, block: MinedBlockBytes, { before, after }: BlockMembersText): Buffer {
    return native(() => this.handle.writeBlock(full, block, before, after))
  }

  /**
   * Writes and keeps the receipts of a block as an array.
   * @param receipts RLP list of them
   * @throws NativeError `InvalidArgument` when it is not what the store keeps
   */
  writeReceipts(block: MinedBlockBytes, receipts: Uint8Array): Buffer {
    return native(() => this.handle.writeReceipts(block, receipts))
  }

  /**
   * Writes and keeps the logs of a block, for searches and subscribers.
   * @throws NativeError `InvalidArgument` when it is not what the store keeps
   */
  writeLogs(
    { number, hash }: { readonly number: number; readonly hash: Uint8Array },
    { receipts, body }: StoredLogBlock,
  ): void {
    native(() => this.handle.writeLogs(hash, number, receipts, body))
  }

  /**
   * Writes and keeps the receipt of a transaction, or the transaction where no receipts are given.
   * @throws NativeError `InvalidArgument` when it is not what the store keeps
   */
  writeMined(transaction: MinedTransactionBytes): Buffer {
    return native(() => this.handle.writeMined(transaction))
  }

  /** An empty page of logs. */
  logPage({ addresses, topics }: LogPageCriteria, { bytes, logs }: LogPageEnd): LogPage {
    const byPosition = topics.map((alternatives) => Buffer.concat(alternatives))
    return new LogPage(native(() => this.handle.logPage(Buffer.concat(addresses), byPosition, bytes, logs)))
  }

  /**
   * Searches blocks; null when the logs of one of them are not kept, or when it takes more than it may.
   * @param hashes 32 bytes each
   */
  findLogs(
    { addresses, topics }: LogPageCriteria,
    hashes: Uint8Array,
    { bytes, logs }: LogSearchBounds,
  ): FoundLogs | null {
    const byPosition = topics.map((alternatives) => Buffer.concat(alternatives))
    const searches = this.#searches
    const length = native(() => searches.find(Buffer.concat(addresses), byPosition, hashes, bytes, logs))
    return length < 0 ? null : { length, moveTo: (target, at) => native(() => searches.copyTo(target, at)) }
  }
}

/** Blocks as the chain store has them, one after the other. */
export interface StoredLogBlocks {
  /** Height 8 ∥ hash 32 of each. */
  readonly keys: Uint8Array
  /** RLP list of the receipts and RLP `[transactions, uncles]` of each; both empty where they are not stored. */
  readonly bytes: Uint8Array
  /** Ends of the two in the bytes. */
  readonly ends: Int32Array
}

/** Logs that match, block after block, as JSON objects with commas between. `removed`: reported as taken back. */
export class LogPage {
  readonly #writer: LogPageWriter

  constructor(writer: LogPageWriter) {
    this.#writer = writer
  }

  /** True when no further block is to be added. */
  get isFull(): boolean {
    return this.#writer.isFull
  }

  /** Logs so far. */
  get count(): number {
    return this.#writer.count
  }

  /** Bytes so far. */
  get length(): number {
    return this.#writer.bytes
  }

  /**
   * Adds blocks whose logs are kept, up to the first of which they are not, or until the page is full.
   * @param hashes 32 bytes each
   * @returns how many blocks were added
   */
  addKept(hashes: Uint8Array, removed: boolean): number {
    return native(() => this.#writer.addKept(hashes, removed))
  }

  /** Number of blocks up to the first whose logs are kept. @param hashes 32 bytes each */
  countMissing(hashes: Uint8Array): number {
    return native(() => this.#writer.countMissing(hashes))
  }

  /**
   * Adds blocks until the page is full.
   * @returns how many blocks were added
   * @throws NativeError `InvalidArgument` when it is not what the store keeps
   */
  addStored({ keys, ends, bytes }: StoredLogBlocks, removed: boolean): number {
    return native(() => this.#writer.addStored(keys, ends, bytes, removed))
  }

  /** Copies the text to a position of an array. The page is empty then. */
  moveTo(target: Uint8Array, at: number): void {
    native(() => this.#writer.moveTo(target, at))
  }
}
