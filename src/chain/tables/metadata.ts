import type { ChainEnvironment, TableReader, TableWriter } from '../../storage/chainEnvironment.ts'
import { StorageError } from '../../storage/errors.ts'
import { CHAIN_FORMATS, chainFormatTable } from '../../storage/formats/chainFormat.ts'
import { readFormat, writeFormat } from '../../storage/formats/formatTable.ts'
import { assertPresent } from '../../storage/formats/storeFormat.ts'

const GENESIS_KEY = Buffer.from('genesis')
const HEAD_KEY = Buffer.from('head')
const REVISION_KEY = Buffer.from('revision')
const HISTORY_KEY = Buffer.from('history')
const RESTORED_KEY = Buffer.from('restored')
const TRIAL_KEY = Buffer.from('trial')
const ACTIVATIONS_KEY = Buffer.from('activations')
const COUNT_BYTES = 6

/** Hash of the best block; undefined before genesis is stored. */
export function readHead(reader: TableReader): Buffer | undefined {
  return reader.get('metadata', HEAD_KEY)
}

/** Sets the best block, which must be stored. */
export function writeHead(writer: TableWriter, hash: Buffer): void {
  writer.put('metadata', HEAD_KEY, hash)
}

/** Hash of block 0; undefined before genesis is stored. */
export function readGenesis(reader: TableReader): Buffer | undefined {
  return reader.get('metadata', GENESIS_KEY)
}

/**
 * The lowest blocks that the store holds. A node that started from a snapshot has no blocks below its first
 * one and no states below that of the snapshot's block; genesis is always stored. Backfilled blocks have no
 * receipts. A node that prunes has states of its newest blocks. All zero means that everything is stored.
 */
export interface StoredHistory {
  /** Lowest block above genesis; zero where that is block 1. */
  readonly firstBlock: number
  /** Lowest block whose receipts, logs and index entries are stored; never below the first block. */
  readonly firstReceipts: number
  /** Lowest block whose state is stored. */
  readonly firstState: number
}

/** The stored part of history. */
export function readHistory(reader: TableReader): StoredHistory {
  const heights = reader.get('metadata', HISTORY_KEY)
  if (heights === undefined) return { firstBlock: 0, firstReceipts: 0, firstState: 0 }
  const firstBlock = heights.readUIntBE(0, COUNT_BYTES)
  const firstState = heights.readUIntBE(COUNT_BYTES, COUNT_BYTES)
  // Up to format 4 every block had its receipts.
  const hasReceipts = heights.length >= 3 * COUNT_BYTES
  const firstReceipts = hasReceipts ? heights.readUIntBE(2 * COUNT_BYTES, COUNT_BYTES) : firstBlock
  return { firstBlock, firstReceipts, firstState }
}

/** Records the lowest stored blocks. */
export function writeHistory(writer: TableWriter, history: StoredHistory): void {
  const { firstBlock, firstReceipts, firstState } = history
  const heights = Buffer.alloc(3 * COUNT_BYTES)
  heights.writeUIntBE(firstBlock, 0, COUNT_BYTES)
  heights.writeUIntBE(firstState, COUNT_BYTES, COUNT_BYTES)
  heights.writeUIntBE(firstReceipts, 2 * COUNT_BYTES, COUNT_BYTES)
  writer.put('metadata', HISTORY_KEY, heights)
}

/** Number of chunks of blocks that a restore has written so far; zero outside of a restore. */
export function readRestoredChunks(reader: TableReader): number {
  return reader.get('metadata', RESTORED_KEY)?.readUInt32BE(0) ?? 0
}

/** Records how many chunks of blocks were written; null ends the restore. */
export function writeRestoredChunks(writer: TableWriter, chunks: number | null): void {
  if (chunks === null) {
    writer.remove('metadata', RESTORED_KEY)
    return
  }
  const count = Buffer.alloc(4)
  count.writeUInt32BE(chunks)
  writer.put('metadata', RESTORED_KEY, count)
}

/** Counters of changes that only users of a development chain can cause. */
export interface Revision {
  /** Number of times that blocks were disconnected: caches of blocks by hash are cleared when it changes. */
  readonly rewinds: number
  /** Number of edits of states: at zero no edit has to be looked up. */
  readonly edits: number
}

/** The counters. */
export function readRevision(reader: TableReader): Revision {
  const counts = reader.get('metadata', REVISION_KEY)
  if (counts === undefined) return { rewinds: 0, edits: 0 }
  return { rewinds: counts.readUIntBE(0, COUNT_BYTES), edits: counts.readUIntBE(COUNT_BYTES, COUNT_BYTES) }
}

/** Counts a disconnection of blocks. */
export function countRewind(writer: TableWriter): void {
  const { rewinds, edits } = readRevision(writer)
  writeRevision(writer, { rewinds: rewinds + 1, edits })
}

/** Counts an edit of a state. */
export function countEdit(writer: TableWriter): void {
  const { rewinds, edits } = readRevision(writer)
  writeRevision(writer, { rewinds, edits: edits + 1 })
}

/** Activation heights by rule that replace those of the network; empty when none do. */
export function readActivations(reader: TableReader): Readonly<Record<string, number>> {
  const heights = reader.get('metadata', ACTIVATIONS_KEY)
  return heights === undefined ? {} : (JSON.parse(heights.toString('utf8')) as Record<string, number>)
}

/** Records the activation heights of the chain. */
export function writeActivations(writer: TableWriter, heights: Readonly<Record<string, number>>): void {
  writer.put('metadata', ACTIVATIONS_KEY, Buffer.from(JSON.stringify(heights)))
}

/** Writes an unused value, to test whether the store accepts writes. */
export function writeTrial(writer: TableWriter): void {
  const time = Buffer.alloc(8)
  time.writeBigUInt64BE(BigInt(Date.now()))
  writer.put('metadata', TRIAL_KEY, time)
}

function writeRevision(writer: TableWriter, { rewinds, edits }: Revision): void {
  const counts = Buffer.alloc(2 * COUNT_BYTES)
  counts.writeUIntBE(rewinds, 0, COUNT_BYTES)
  counts.writeUIntBE(edits, COUNT_BYTES, COUNT_BYTES)
  writer.put('metadata', REVISION_KEY, counts)
}

/** Records the format of a store whose chain is yet to be written. */
export function writeChainFormat(writer: TableWriter): void {
  writeFormat(chainFormatTable(writer), CHAIN_FORMATS.current)
}

/** Records the format and the chain of a new store. */
export function writeIdentity(writer: TableWriter, genesisHash: Buffer): void {
  writeChainFormat(writer)
  writer.put('metadata', GENESIS_KEY, genesisHash)
}

/**
 * Whether the store has a format record, which must name the current format.
 * @throws StorageError `STORAGE_OLDER`, `STORAGE_NEWER`, `STORAGE_FORMAT`
 */
export function checkChainFormat(reader: TableReader): boolean {
  const found = readFormat({ get: (key) => reader.get('metadata', key) })
  if (found === null) return false
  assertPresent(CHAIN_FORMATS, found)
  return true
}

/**
 * Whether the store holds a chain. A store that holds one must be of this format and this chain.
 * @throws StorageError
 */
export function checkIdentity(environment: ChainEnvironment, genesisHash: Buffer): boolean {
  const hasFormat = checkChainFormat(environment)
  const genesis = readGenesis(environment)
  if (!hasFormat || genesis === undefined) return false
  if (!genesis.equals(genesisHash)) {
    throw new StorageError(
      'STORAGE_NETWORK',
      `the chain store begins with block ${genesis.toString('hex')}, expected ${genesisHash.toString('hex')}`,
    )
  }
  return true
}
