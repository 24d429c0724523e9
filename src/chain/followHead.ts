import type { BlockExecutor } from './blockExecutor.ts'
import type { ChainStoreReader } from './chainStoreReader.ts'
import type { HeadChange } from './chainWriter.ts'
import type { BlockHeader } from './codec/header.ts'

/**
 * Blocks by which the states may be behind a head, or a head moves, with the state after each announced. Behind more of
 * them, which a killed process never leaves, the states between are read in the trie alone.
 */
const MAX_BLOCKS = 1_000

/**
 * Announces a change of the head so that the state after each block that joined the chain is known: the block where both
 * branches meet, what joined, and the head.
 */
export function followChange(executor: BlockExecutor, reader: ChainStoreReader, change: HeadChange): void {
  const { head, retracted, enacted } = change
  const joined = enacted.slice(-MAX_BLOCKS)
  const first = joined[0]
  if (first === undefined) {
    executor.headChanged(head)
    return
  }
  const meeting = retracted.length > 0 ? reader.headerByHash(first.parentHash) : null
  if (meeting !== null && executor.hasStateAfter(meeting)) executor.headChanged(meeting)
  for (const header of joined) executor.headChanged(header)
}

/**
 * Announces the stored head at the start. The states may be some blocks behind it, or on another branch, because they are
 * written in batches.
 */
export function followStored(executor: BlockExecutor, reader: ChainStoreReader, head: BlockHeader): void {
  const above: BlockHeader[] = []
  let header: BlockHeader | null = head
  while (header !== null && !executor.followsFrom(header) && above.length < MAX_BLOCKS) {
    above.unshift(header)
    header = header.number === 0 ? null : reader.headerByHash(header.parentHash)
  }
  if (header === null || !executor.followsFrom(header)) {
    executor.headChanged(head)
    return
  }
  for (const next of [header, ...above]) executor.headChanged(next)
}
