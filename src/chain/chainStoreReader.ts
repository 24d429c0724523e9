import type { NetworkSpec } from '../config/networkSpec.ts'
import type { TableReader } from '../storage/chainEnvironment.ts'
import { StorageError } from '../storage/errors.ts'
import { type Block, blockFromParts } from './codec/block.ts'
import type { BlockHeader } from './codec/header.ts'
import { parseHeader } from './codec/headerDecoder.ts'
import { parseReceipt, type Receipt } from './codec/receipt.ts'
import { parseRLPList } from './codec/rlpReader.ts'
import { REMASC_SENDER } from './codec/signature.ts'
import { type LogCriteria, logConditions } from './logs/logCriteria.ts'
import { type BlockReference, blockKey } from './tables/blockKey.ts'
import { type HeightEntry, readCanonicalHash, readHeight } from './tables/heights.ts'
import { findLogHeights } from './tables/logIndex.ts'
import { readHead, readHistory, type StoredHistory } from './tables/metadata.ts'
import { readStateEdit } from './tables/stateEdits.ts'
import { readFiledHeight, readPosition } from './tables/totalDifficulty.ts'
import { readOccurrences } from './tables/transactionIndex.ts'

const ADDRESS_LENGTH = 20
const HASH_LENGTH = 32

/** Position of a transaction in the canonical chain. */
export interface TransactionLocation {
  readonly blockHash: Buffer
  readonly index: number
}

/** Decoded reads of the chain store. All reads see the snapshot of the given tables. */
export class ChainStoreReader {
  readonly #spec: NetworkSpec
  readonly #tables: TableReader

  constructor(spec: NetworkSpec, tables: TableReader) {
    this.#spec = spec
    this.#tables = tables
  }

  /** Header of the best block. @throws StorageError when there is none */
  head(): BlockHeader {
    const hash = readHead(this.#tables)
    const header = hash && this.headerByHash(hash)
    if (!header) throw new StorageError('STORAGE_CORRUPT', 'the chain store has no head')
    return header
  }

  /** The lowest blocks, receipts and states that are stored. */
  history(): StoredHistory {
    return readHistory(this.#tables)
  }

  /** Hash of the canonical block of a height. */
  hashByNumber(number: number): Buffer | null {
    return readCanonicalHash(this.#tables, number) ?? null
  }

  /** Every connected block of a height, the canonical one first. */
  blocksAt(number: number): readonly HeightEntry[] {
    return readHeight(this.#tables, number)
  }

  /** Header of a connected block, canonical or not; null for bytes that are no hash, as a header may name them. */
  headerByHash(hash: Buffer): BlockHeader | null {
    const number = this.heightOf(hash)
    return number === null ? null : this.headerOf({ number, hash })
  }

  /** The same, but disconnected blocks are included. */
  storedHeader(hash: Buffer): BlockHeader | null {
    const number = readFiledHeight(this.#tables, hash)
    return number === undefined ? null : this.headerOf({ number, hash })
  }

  /** Header of the canonical block of a height. */
  headerByNumber(number: number): BlockHeader | null {
    const hash = this.hashByNumber(number)
    return hash === null ? null : this.headerOf({ number, hash })
  }

  /** Header of a block that is known to be stored. */
  headerOf(block: BlockReference): BlockHeader | null {
    const rlp = this.#tables.get('headers', blockKey(block))
    return rlp === undefined ? null : parseHeader(this.#spec, rlp).foundBy(block.hash)
  }

  /** RLP of the full header of a block that is known to be stored. */
  encodedHeader(block: BlockReference): Buffer | null {
    return this.#tables.get('headers', blockKey(block)) ?? null
  }

  /** A connected block, canonical or not. */
  blockByHash(hash: Buffer): Block | null {
    const number = this.heightOf(hash)
    return number === null ? null : this.blockOf({ number, hash })
  }

  /** A block that is known to be stored. */
  blockOf(reference: BlockReference): Block | null {
    const key = blockKey(reference)
    const header = this.#tables.get('headers', key)
    const body = this.#tables.get('bodies', key)
    if (header === undefined || body === undefined) return null
    const block = blockFromParts(this.#spec, header, body)
    const senders = this.#tables.get('senders', key)
    if (senders !== undefined)
      block.setSenders(
        block.transactions.map((transaction, index) => senderAt(senders, index, transaction.isRemasc)),
      )
    return block
  }

  /** The canonical block of a height. */
  blockByNumber(number: number): Block | null {
    const hash = this.hashByNumber(number)
    return hash === null ? null : this.blockOf({ number, hash })
  }

  /** True when the user of a development chain edited the state after a block. */
  hasEditedState(hash: Buffer): boolean {
    return readStateEdit(this.#tables, hash) !== undefined
  }

  /** Height of a connected block; null for bytes that are no hash. */
  heightOf(hash: Buffer): number | null {
    if (hash.length !== HASH_LENGTH) return null
    return readPosition(this.#tables, hash)?.height ?? null
  }

  /** Difficulty of the chain up to and with a connected block, uncles included. */
  totalDifficulty(hash: Buffer): bigint | null {
    return readPosition(this.#tables, hash)?.totalDifficulty ?? null
  }

  /** RLP of the receipts of a connected block, one per transaction. */
  encodedReceipts(block: BlockReference): readonly Buffer[] | null {
    const list = this.storedReceipts(block)
    return list === null ? null : parseRLPList(list).map((item) => item.bytes)
  }

  /** Receipts of a connected block, one per transaction. */
  receipts(block: BlockReference): readonly Receipt[] | null {
    return this.encodedReceipts(block)?.map(parseReceipt) ?? null
  }

  /** RLP list of the receipts of a connected block, as the native core reads logs from it. */
  storedReceipts(block: BlockReference): Buffer | null {
    return this.#tables.get('receipts', blockKey(block)) ?? null
  }

  /**
   * Copies stored receipts or a stored body into an array at an offset, if it has room.
   * @param key of the block (`blockKey`)
   * @returns their length, -1 when they are not stored
   */
  copyStored(part: 'receipts' | 'bodies', key: Buffer, target: Buffer, at: number): number {
    return this.#tables.copy(part, key, target, at)
  }

  /** RLP `[transactions, uncles]` of a connected block. */
  storedBody(block: BlockReference): Buffer | null {
    return this.#tables.get('bodies', blockKey(block)) ?? null
  }

  /**
   * Heights between two bounds, both inclusive and ascending, whose canonical blocks may contain such logs.
   * They come in batches.
   */
  logHeights(criteria: LogCriteria, from: number, to: number): Iterable<readonly number[]> {
    return findLogHeights(this.#tables, logConditions(criteria), from, to)
  }

  /**
   * Stored senders of the transactions of a connected block, 20 bytes each; null when they are not stored.
   */
  storedSenders(block: BlockReference): Buffer | null {
    return this.#tables.get('senders', blockKey(block)) ?? null
  }

  /** Position of a transaction in the canonical chain. */
  locateTransaction(hash: Buffer): TransactionLocation | null {
    return readOccurrences(this.#tables, hash).find(({ blockHash }) => this.isCanonical(blockHash)) ?? null
  }

  /** True when a connected block is on the canonical chain. */
  isCanonical(hash: Buffer): boolean {
    const position = readPosition(this.#tables, hash)
    return position !== undefined && this.hashByNumber(position.height)?.equals(hash) === true
  }

  /** Senders of the block's transactions: 20 bytes each, zeros for the reward transaction. */
  senders(block: Block): readonly Buffer[] {
    const stored = this.storedSenders(block)
    if (stored === null) return addressesOfSenders(block.senders)
    return block.transactions.map((_, index) => addressAt(stored, index))
  }
}

/** Senders as they are stored: 20 bytes each. */
export function encodeSenders(senders: readonly (Buffer | null)[]): Buffer {
  return Buffer.concat(addressesOfSenders(senders))
}

/** Senders of a block's transactions as addresses: 20 bytes each, zeros for the reward transaction. */
export function addressesOfSenders(senders: readonly (Buffer | null)[]): Buffer[] {
  return senders.map(wholeAddress)
}

function senderAt(stored: Buffer, index: number, isRemasc: boolean): Buffer {
  const address = addressAt(stored, index)
  return isRemasc ? REMASC_SENDER : address
}

function addressAt(stored: Buffer, index: number): Buffer {
  return stored.subarray(index * ADDRESS_LENGTH, (index + 1) * ADDRESS_LENGTH)
}

function wholeAddress(sender: Buffer | null): Buffer {
  return sender === null || sender.length !== ADDRESS_LENGTH ? Buffer.alloc(ADDRESS_LENGTH) : sender
}
