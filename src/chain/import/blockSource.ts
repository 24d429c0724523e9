/** A block as a file holds it. */
export interface RawBlock {
  readonly rlp: Buffer
  /** Line of the file, or number of the block in it, from 1 on; for messages. */
  readonly position: number
  /** Bytes of the file up to the end of the block; of a compressed file those that were read for it. */
  readonly offset: number
}

/** The blocks of a file in their order. */
export type BlockSource = AsyncGenerator<RawBlock, void, void>

/** A file that cannot be read as blocks. */
export class BlockSourceError extends Error {
  readonly code = 'IMPORT_SOURCE'
  /** Line or block number, from 1 on; 0 where it cannot be said. */
  readonly position: number
  override readonly name = 'BlockSourceError'

  constructor(position: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.position = position
  }
}
