import type { Blockchain } from '../chain/blockchain.ts'
import type { BlockExecutor } from '../chain/blockExecutor.ts'
import type { Block } from '../chain/codec/block.ts'
import { decodeReadBlock } from '../chain/import/decodeReadBlock.ts'
import type { ReadBlock } from '../chain/import/messages.ts'
import { writeHistory } from '../chain/tables/metadata.ts'
import {
  readSnapshotSyncState,
  type SnapshotTarget,
  writeSnapshotSyncState,
} from '../chain/tables/snapshotSyncState.ts'
import { placeBlocks, writeUnplaced } from '../chain/unplacedBlocks.ts'
import { InvalidBlockError } from '../chain/validation/errors.ts'
import type { NetworkSpec } from '../config/networkSpec.ts'
import { ChunkIntake } from '../native/stateChunks.ts'
import type { StateStore } from '../native/stateStore.ts'
import type { ChainEnvironment } from '../storage/chainEnvironment.ts'
import { commitBoth } from '../storage/commitBoth.ts'
import type { SnapshotPosition, SnapshotStore, WantedBlock } from '../sync/snapshot/snapshotStore.ts'
import { SnapshotError } from './errors.ts'
import { neededHistory } from './neededHistory.ts'

/** Chunks between two saves of the state's progress, which a restart fetches again. */
const CHUNKS_PER_SAVE = 64

/** Stores of a {@link FetchedSnapshot}. */
export interface FetchedSnapshotOptions {
  readonly spec: NetworkSpec
  readonly environment: ChainEnvironment
  readonly stateStore: StateStore
  readonly executor: BlockExecutor
  readonly chain: Blockchain
  /** Chunks between two saves of the state's progress; 64 by default. */
  readonly chunksPerSave?: number
  /** @throws StorageError while the stores reject writes */
  assertWritable(): void
}

/**
 * A snapshot from peers, in the stores of a chain that has only genesis. State nodes go to the state store;
 * blocks are written without their height in the chain, so that no read finds them, until one commit makes the
 * snapshot's block the head. Used by the one writing thread, sequentially.
 */
export class FetchedSnapshot implements SnapshotStore {
  readonly #options: FetchedSnapshotOptions
  #intake: ChunkIntake | null = null
  #unsaved = 0

  constructor(options: FetchedSnapshotOptions) {
    this.#options = options
  }

  async position(): Promise<SnapshotPosition> {
    const { headers, target, state } = readSnapshotSyncState(this.#options.environment)
    return {
      headers,
      target,
      nextChunk: target !== null && state?.saved !== null ? this.#intakeOf(target).next : null,
      nextBlock: this.#wanted(),
    }
  }

  async saveHeaders(record: Buffer): Promise<void> {
    await this.#write((writer) => writeSnapshotSyncState(writer, { headers: record }))
  }

  async setTarget(target: SnapshotTarget): Promise<SnapshotPosition> {
    if (this.#options.chain.head.number > 0) throw fault('the chain has blocks already')
    this.#intake = null
    this.#unsaved = 0
    await this.#write((writer) => writeSnapshotSyncState(writer, { target }))
    return this.position()
  }

  async takeChunk(chunk: Buffer): Promise<{ refused: string | null; nextChunk: number | null }> {
    this.#options.assertWritable()
    const { target, state } = readSnapshotSyncState(this.#options.environment)
    if (target === null || state?.saved === null) throw fault('no state is fetched')
    const intake = this.#intakeOf(target)
    const { refused, complete, next } = await intake.take(chunk)
    if (refused !== null) return { refused, nextChunk: intake.next }
    this.#unsaved += 1
    if (complete || this.#unsaved >= (this.#options.chunksPerSave ?? CHUNKS_PER_SAVE))
      await this.#save(intake, complete)
    return { refused: null, nextChunk: complete ? null : next }
  }

  async takeBlocks(blocks: readonly ReadBlock[]): Promise<WantedBlock | null> {
    const { spec, executor, environment } = this.#options
    this.#options.assertWritable()
    const { blocks: from } = readSnapshotSyncState(environment)
    if (from === null) throw fault('no blocks are fetched')
    let { number, hash, totalDifficulty } = from
    const taken: { block: Block; totalDifficulty: bigint }[] = []
    for (const read of blocks) {
      const block = decodeReadBlock(spec, read)
      if (block instanceof InvalidBlockError) throw block
      if (!block.hash.equals(hash) || block.number !== number) throw fault(`block ${number} is another one`)
      taken.push({ block, totalDifficulty })
      number -= 1
      hash = block.header.parentHash
      totalDifficulty -= block.cumulativeDifficulty
    }
    for (const item of taken) executor.connected(item.block, item.totalDifficulty)
    commitBoth(executor, environment, (writer) => {
      for (const { block } of taken.toReversed()) writeUnplaced(writer, block)
      writeSnapshotSyncState(writer, { blocks: { number, hash, totalDifficulty } })
    })
    await environment.flushed()
    return this.#wanted()
  }

  async adopt(): Promise<void> {
    const { chain, environment } = this.#options
    this.#options.assertWritable()
    const { target, state, blocks } = readSnapshotSyncState(environment)
    if (target === null || blocks === null) throw fault('nothing was fetched')
    if (state?.saved !== null || this.#wanted() !== null) throw fault('a part of it is missing')
    const lowest = this.#lowest(target)
    chain.adopt(target.hash, (writer) => {
      placeBlocks(writer, chain.reader, target, lowest)
      writeHistory(writer, {
        firstBlock: lowest === 1 ? 0 : lowest,
        firstReceipts: target.number + 1,
        firstState: target.number,
      })
      writeSnapshotSyncState(writer, null)
    })
    await environment.flushed()
  }

  async discard(): Promise<void> {
    this.#intake = null
    await this.#write((writer) => writeSnapshotSyncState(writer, null))
  }

  async #save(intake: ChunkIntake, isWhole: boolean): Promise<void> {
    // The state store first: chunks beyond the saved progress are fetched again.
    const saved = await intake.save()
    this.#unsaved = 0
    if (isWhole) this.#intake = null
    await this.#write((writer) =>
      writeSnapshotSyncState(writer, { state: { saved: isWhole ? null : saved } }),
    )
  }

  async #write(write: Parameters<ChainEnvironment['transaction']>[0]): Promise<void> {
    this.#options.assertWritable()
    this.#options.environment.transaction(write)
    await this.#options.environment.flushed()
  }

  #intakeOf({ stateRoot }: SnapshotTarget): ChunkIntake {
    const { environment, stateStore } = this.#options
    this.#intake ??= new ChunkIntake(
      stateStore,
      stateRoot,
      readSnapshotSyncState(environment).state?.saved ?? null,
    )
    return this.#intake
  }

  #lowest({ number }: SnapshotTarget): number {
    return Math.max(1, number + 1 - neededHistory(this.#options.spec))
  }

  #wanted(): WantedBlock | null {
    const { target, blocks } = readSnapshotSyncState(this.#options.environment)
    if (target === null || blocks === null) return null
    const lowest = this.#lowest(target)
    return blocks.number < lowest ? null : { number: blocks.number, hash: blocks.hash, lowest }
  }
}

function fault(message: string): SnapshotError {
  return new SnapshotError('SNAPSHOT_CONTENT', message)
}
