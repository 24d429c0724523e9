import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ChainStoreReader } from '../chain/chainStoreReader.ts'
import type { Block } from '../chain/codec/block.ts'
import { fillBelow } from '../chain/fillBelow.ts'
import { decodeReadBlock } from '../chain/import/decodeReadBlock.ts'
import type { ReadBlock } from '../chain/import/messages.ts'
import { InvalidBlockError } from '../chain/validation/errors.ts'
import type { NetworkSpec } from '../config/networkSpec.ts'
import type { ChainEnvironment } from '../storage/chainEnvironment.ts'
import type { BackfillStore } from '../sync/backfill/backfillStore.ts'

/** Requests of clients and blocks of the tip wait so long at most while old blocks are stored, milliseconds. */
const TURN_MILLISECONDS = 10

/** The parts that fill in blocks. */
export interface FilledBlocksOptions {
  readonly spec: NetworkSpec
  readonly environment: ChainEnvironment
  readonly reader: ChainStoreReader
  /** @throws StorageError while the stores take no writes */
  assertWritable(): void
}

/** Stores blocks below the first that is kept, one short commit per turn of the chain thread. */
export class FilledBlocks implements BackfillStore {
  readonly #options: FilledBlocksOptions

  constructor(options: FilledBlocksOptions) {
    this.#options = options
  }

  async takeBlocks(blocks: readonly ReadBlock[]): Promise<void> {
    const { environment, reader, assertWritable } = this.#options
    for (let taken = 0; taken < blocks.length; ) {
      await nextTurn()
      assertWritable()
      const some = this.#turn(blocks, taken)
      taken += environment.transaction((writer) => fillBelow(writer, reader, some))
    }
  }

  *#turn(blocks: readonly ReadBlock[], from: number): Generator<Block> {
    const end = performance.now() + TURN_MILLISECONDS
    for (const read of blocks.slice(from)) {
      const block = decodeReadBlock(this.#options.spec, read)
      if (block instanceof InvalidBlockError) throw block
      yield block
      if (performance.now() >= end) return
    }
  }
}
