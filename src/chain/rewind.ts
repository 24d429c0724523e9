import type { TableWriter } from '../storage/chainEnvironment.ts'
import type { ChainStoreReader } from './chainStoreReader.ts'
import { type HeadChange, moveHead } from './chainWriter.ts'
import type { BlockHeader } from './codec/header.ts'
import { clearHeight, readHeight } from './tables/heights.ts'
import type { LogIndexChanges } from './tables/logIndex.ts'
import { countRewind } from './tables/metadata.ts'
import { readStateEdit, writeStateEdit } from './tables/stateEdits.ts'
import { removePosition } from './tables/totalDifficulty.ts'
import { removeOccurrences } from './tables/transactionIndex.ts'

/**
 * Makes an ancestor the head again and disconnects every block above it, those beside the canonical chain
 * included. Their data stays in the store until they are connected again, because listeners to the rewind
 * still read it.
 * @param reader reads that see the writer's changes
 */
export function rewindTo(
  writer: TableWriter,
  reader: ChainStoreReader,
  from: BlockHeader,
  to: BlockHeader,
  index: LogIndexChanges,
): HeadChange {
  const change = moveHead(writer, reader, from, to, index)
  if (change.enacted.length > 0) throw new RangeError(`block ${to.hashHex} is not below the head`)
  for (let height = to.number + 1; ; height += 1) {
    const entries = readHeight(writer, height)
    if (entries.length === 0) break
    for (const { hash } of entries) disconnect(writer, reader, hash)
    clearHeight(writer, height)
  }
  countRewind(writer)
  return change
}

function disconnect(writer: TableWriter, reader: ChainStoreReader, hash: Buffer): void {
  const hashes = reader.blockByHash(hash)?.transactions.map((transaction) => transaction.hash) ?? []
  removeOccurrences(writer, hash, hashes)
  removePosition(writer, hash)
  if (readStateEdit(writer, hash) !== undefined) writeStateEdit(writer, hash, null)
}
