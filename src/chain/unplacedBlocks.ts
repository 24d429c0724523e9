import type { TableWriter } from '../storage/chainEnvironment.ts'
import { type ChainStoreReader, encodeSenders } from './chainStoreReader.ts'
import type { Block } from './codec/block.ts'
import { type BlockReference, blockKey } from './tables/blockKey.ts'
import { addToHeight, setCanonical } from './tables/heights.ts'
import { writePosition } from './tables/totalDifficulty.ts'
import { addOccurrences } from './tables/transactionIndex.ts'

/** Writes the data of a block without its height in the chain: no read finds it until it is made canonical. */
export function writeUnplaced(writer: TableWriter, block: Block): void {
  const key = blockKey(block)
  writer.put('headers', key, block.header.encodedFull)
  writer.put('bodies', key, block.encodedBody)
  if (block.transactions.length > 0) writer.put('senders', key, encodeSenders(block.senders))
}

/**
 * Makes blocks written by {@link writeUnplaced} canonical, from one down to a height.
 * @param reader reads that see the writer's changes
 * @param top with the total difficulty of the chain up to it
 * @throws RangeError when one of them is missing
 */
export function placeBlocks(
  writer: TableWriter,
  reader: ChainStoreReader,
  top: BlockReference & { readonly totalDifficulty: bigint },
  lowest: number,
): void {
  let { hash, totalDifficulty } = top
  for (let number = top.number; number >= lowest; number -= 1) {
    const block = reader.blockOf({ number, hash })
    if (block === null) throw new RangeError(`block ${number} ${hash.toString('hex')} is not there`)
    addToHeight(writer, number, hash)
    setCanonical(writer, number, hash)
    addOccurrences(
      writer,
      hash,
      block.transactions.map((transaction) => transaction.hash),
    )
    writePosition(writer, hash, { height: number, totalDifficulty })
    hash = block.header.parentHash
    totalDifficulty -= block.cumulativeDifficulty
  }
}
