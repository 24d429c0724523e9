/** A block in a file. */
export interface RawBlock {
  readonly rlp: Buffer
  /** Line of the file, or number of the block in it, from 1 on; for messages. */
  readonly position: number
  /** Bytes of the file up to the end of the block; for a compressed file those read so far. */
  readonly offset: number
}

/** The blocks of a file in their order. */
export type BlockSource = AsyncGenerator<RawBlock, void, void>

/** A file that cannot be read as blocks. */
export class BlockSourceError extends Error {
  readonly code = 'IMPORT_SOURCE'
  /** Line or block number, from 1; 0 when unknown. */
  readonly position: number
  override readonly name = 'BlockSourceError'

  constructor(position: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.position = position
  }
}
