import type { TableWriter } from '../storage/chainEnvironment.ts'
import { CodedError } from '../util/codedError.ts'
import type { ChainStoreReader } from './chainStoreReader.ts'
import { writeBlock } from './chainWriter.ts'
import type { Block } from './codec/block.ts'
import { setCanonical } from './tables/heights.ts'
import { readGenesis, readHistory, writeHistory } from './tables/metadata.ts'

/** `ORDER`: it is not the parent of the lowest block; `GENESIS`: block 1 does not stand on this chain's genesis. */
export type FillErrorCode = 'ORDER' | 'GENESIS'

/** A block that is not directly below the stored blocks. */
export class FillError extends CodedError<FillErrorCode> {
  override readonly name = 'FillError'
}

/**
 * Stores blocks below the first stored one, in descending order, each the parent of the one before. Their
 * hashes prove them: nothing is executed, so that they have neither receipts nor entries in the log index. It
 * needs a transaction of its own: the first stored block moves down with them.
 * @param reader reads that see the writer's changes
 * @returns the number of blocks stored
 * @throws FillError
 * @throws RangeError when nothing is missing
 */
export function fillBelow(writer: TableWriter, reader: ChainStoreReader, blocks: Iterable<Block>): number {
  const history = readHistory(writer)
  let above = reader.blockByNumber(history.firstBlock)
  if (history.firstBlock <= 1 || above === null) throw new RangeError('the chain has all of its blocks')
  let difficulty = reader.totalDifficulty(above.hash) ?? 0n
  let count = 0
  for (const block of blocks) {
    if (!block.hash.equals(above.header.parentHash) || block.number !== above.number - 1) {
      throw new FillError(
        'ORDER',
        `block ${block.number} ${block.hashHex} is not below block ${above.number}`,
      )
    }
    if (block.number === 1) assertOnGenesis(writer, block)
    difficulty -= above.cumulativeDifficulty
    writeBlock(writer, block, { receipts: null, totalDifficulty: difficulty })
    setCanonical(writer, block.number, block.hash)
    above = block
    count += 1
  }
  const firstBlock = above.number === 1 ? 0 : above.number
  if (count > 0) writeHistory(writer, { ...history, firstBlock })
  return count
}

function assertOnGenesis(writer: TableWriter, block: Block): void {
  const genesis = readGenesis(writer)
  if (genesis?.equals(block.header.parentHash) === true) return
  const found = block.header.parentHash.toString('hex')
  throw new FillError(
    'GENESIS',
    `block 1 stands on ${found}, genesis is ${genesis?.toString('hex') ?? 'unknown'}`,
  )
}
