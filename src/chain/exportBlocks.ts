import { StorageError } from '../storage/errors.ts'
import type { ChainStoreReader } from './chainStoreReader.ts'
import type { Block } from './codec/block.ts'
import { holdsUnsigned } from './codec/impersonated.ts'

/** The blocks to export, both ends included; the last is capped at the head. */
export interface ExportRange {
  readonly from: number
  readonly to: number
}

/** A block that no other node would accept. */
export class ExportError extends Error {
  override readonly name = 'ExportError'
  readonly code = 'DEVELOPMENT_ONLY'
  /** Height of the block. */
  readonly number: number

  constructor(number: number, reason: string) {
    super(`block ${number} ${reason}: no other node would accept it`)
    this.number = number
  }
}

/** A block below the history of a node that started from a snapshot. */
export class HistoryError extends Error {
  override readonly name = 'HistoryError'
  readonly code = 'NOT_KEPT'
  /** Lowest stored block. */
  readonly firstBlock: number

  constructor(number: number, firstBlock: number) {
    super(`block ${number} is not kept: this node keeps blocks from ${firstBlock}`)
    this.firstBlock = firstBlock
  }
}

/**
 * The canonical blocks of a range in RLP, oldest first: concatenated they are an importable file.
 * @throws ExportError at the first block of a development chain that stands on an edited state or contains an
 *   unsigned transaction
 * @throws HistoryError when the range begins below the stored history
 * @throws StorageError `STORAGE_CORRUPT` when one is missing
 */
export function* exportBlocks(reader: ChainStoreReader, range: ExportRange): Generator<Block, void, void> {
  const last = Math.min(range.to, reader.head().number)
  const { firstBlock } = reader.history()
  if (range.from > 0 && range.from < firstBlock && range.from <= last) {
    throw new HistoryError(range.from, firstBlock)
  }
  for (let number = range.from; number <= last; number += 1) {
    const block = reader.blockByNumber(number)
    if (block === null)
      throw new StorageError('STORAGE_CORRUPT', `the canonical chain has no block ${number}`)
    assertExportable(reader, block)
    yield block
  }
}

/** @throws ExportError for a block that {@link exportBlocks} refuses */
export function assertExportable(reader: ChainStoreReader, block: Block): void {
  if (block.number > 0 && reader.hasEditedState(block.header.parentHash)) {
    throw new ExportError(block.number, 'stands on a state that was edited by hand')
  }
  if (holdsUnsigned(block))
    throw new ExportError(block.number, 'holds a transaction of an impersonated account')
}
