import type { ChainReader } from './chainReader.ts'
import type { Block } from './codec/block.ts'

/** Which blocks to export, both ends included; the last is cut to the head. */
export interface ExportRange {
  readonly from: number
  readonly to: number
}

/** The canonical blocks of a range in RLP, oldest first: one after the other they are a file to import. */
export function* exportBlocks(reader: ChainReader, range: ExportRange): Generator<Block, void, void> {
  const last = Math.min(range.to, reader.head().number)
  for (let number = range.from; number <= last; number += 1) {
    const block = reader.blockByNumber(number)
    if (block === null) throw new RangeError(`the canonical chain has no block ${number}`)
    yield block
  }
}
