import type { TableWriter } from '../storage/chainEnvironment.ts'
import { forgetSigned } from '../storage/signedChain.ts'
import type { ChainStoreReader } from './chainStoreReader.ts'
import { encodeSenders } from './chainStoreReader.ts'
import type { Block } from './codec/block.ts'
import type { BlockHeader } from './codec/header.ts'
import { holdsUnsigned } from './codec/impersonated.ts'
import { BLOOM_LENGTH } from './codec/logsBloom.ts'
import { logTermsOf } from './logs/logTerms.ts'
import { blockKey } from './tables/blockKey.ts'
import { addToHeight, setCanonical } from './tables/heights.ts'
import { LogIndexChanges } from './tables/logIndex.ts'
import type { LogTerm } from './tables/logTerm.ts'
import { writeHead } from './tables/metadata.ts'
import { writePosition } from './tables/totalDifficulty.ts'
import { addOccurrences } from './tables/transactionIndex.ts'

const EMPTY_BLOOM = Buffer.alloc(BLOOM_LENGTH)

/** A change of the canonical chain. */
export interface HeadChange {
  readonly head: BlockHeader
  /** Headers that left the canonical chain, newest first. */
  readonly retracted: readonly BlockHeader[]
  /** Headers that joined it, oldest first; the last is the head. */
  readonly enacted: readonly BlockHeader[]
  /**
   * Set when users took blocks back or the chain began with a snapshot: what waits for a block does not outlive that, as
   * it does a reorganisation.
   */
  readonly isReset?: true
  /** Set besides when the pool goes on as it is: blocks of the same heights follow. */
  readonly keepsPool?: true
}

/** Stores an executed block without making it canonical. */
export function writeBlock(
  writer: TableWriter,
  block: Block,
  { receipts, totalDifficulty }: { receipts: Buffer | null; totalDifficulty: bigint },
): void {
  const key = blockKey(block)
  writer.append('headers', key, block.header.encodedFull)
  writer.append('bodies', key, block.encodedBody)
  if (receipts !== null) writer.append('receipts', key, receipts)
  if (block.transactions.length > 0) writer.append('senders', key, encodeSenders(block.senders))
  addToHeight(writer, block.number, block.hash)
  addOccurrences(
    writer,
    block.hash,
    block.transactions.map((transaction) => transaction.hash),
  )
  writePosition(writer, block.hash, { height: block.number, totalDifficulty })
  if (holdsUnsigned(block)) forgetSigned(writer)
}

/**
 * Makes a stored block the head: the canonical chain runs through it and ends with it.
 * @param reader reads that see the writer's changes
 * @param from the previous head
 * @param index collects the changes of the log index, which the caller writes before the transaction ends;
 *   without it they are written at once
 * @param receipts RLP list of the receipts of `to`, when the caller has it: they are not read again
 */
export function moveHead(
  writer: TableWriter,
  reader: ChainStoreReader,
  from: BlockHeader,
  to: BlockHeader,
  index?: LogIndexChanges,
  receipts?: Buffer | null,
): HeadChange {
  const retracted: BlockHeader[] = []
  const enacted: BlockHeader[] = []
  let old = from
  let next = to
  while (!old.hash.equals(next.hash)) {
    // The higher one steps down; at the same height both do, in two rounds.
    if (next.number >= old.number && next.number > 0) {
      enacted.unshift(next)
      // A block on the head, as nearly every one is: its parent's header need not be read again.
      next = next.parentHash.equals(old.hash) ? old : parentOf(reader, next)
    } else {
      retracted.push(old)
      old = parentOf(reader, old)
    }
  }
  for (const header of retracted) setCanonical(writer, header.number, null)
  for (const header of enacted) setCanonical(writer, header.number, header.hash)
  writeHead(writer, to.hash)
  const changes = index ?? new LogIndexChanges()
  for (const header of retracted) changes.remove(header.number, logTermsOfBlock(writer, header))
  for (const header of enacted) {
    const known = header === to ? (receipts ?? undefined) : undefined
    changes.add(header.number, logTermsOfBlock(writer, header, known))
  }
  if (index === undefined) changes.write(writer)
  return { head: to, retracted, enacted }
}

function logTermsOfBlock(writer: TableWriter, header: BlockHeader, known?: Buffer): Iterable<LogTerm> {
  if (header.fields.logsBloom?.equals(EMPTY_BLOOM) === true) return []
  const receipts = known ?? writer.get('receipts', blockKey(header))
  return receipts === undefined ? [] : logTermsOf(receipts)
}

function parentOf(reader: ChainStoreReader, header: BlockHeader): BlockHeader {
  const parent = reader.headerByHash(header.parentHash)
  if (parent === null) throw new Error(`parent of connected block ${header.hashHex} is missing`)
  return parent
}
