import type { BlockReference } from '../../chain/tables/blockKey.ts'
import { isActive } from '../../config/activations.ts'
import { CHECKPOINT_DISTANCE_BLOCKS, CHECKPOINT_STEP_BLOCKS } from '../../config/keptStates.ts'
import type { PeerResponse } from '../../p2p/messages/rskMessage.ts'
import { blocksUpTo, isHeight, type SnapRequest } from './answerRequest.ts'
import { type ServedChain, StoredBlocks } from './storedBlocks.ts'

/** The states that may be served. Roots are 32 bytes. */
export interface ServedStates {
  /** Size of a state as snapshot sync counts it, bytes; null where it is not stored. */
  size(root: Buffer): number | null
  /**
   * The chunk at an offset; null beyond the end, where the state is not stored, and when it is larger than
   * `limit` bytes.
   */
  chunk(root: Buffer, from: number, limit: number): Promise<{ body: Buffer; complete: boolean } | null>
}

/** Blocks served below the checkpoint, and per response. */
const SNAP_BLOCKS = 400
/** Lowest block that can be requested. */
const MIN_BLOCK = 2
/** Most bytes of one response: the reference reads no frame of 8 MiB (p2p.md §2). */
const ANSWER_BYTES: number = 7 << 20

/** Sources of served snapshots. */
export interface SnapParts {
  readonly chain: ServedChain
  readonly states: ServedStates
  /** Bytes of a state that a chunk spans. */
  readonly chunkSpan: number
  /** Overrides of the reference's values, for short chains in tests. */
  readonly checkpoint?: { readonly step: number; readonly distance: number }
}

/** The response for a checkpoint, which is the same for all peers until the next one. */
interface Checkpoint {
  readonly hash: Buffer
  readonly blocks: readonly Buffer[]
  readonly totalDifficulties: readonly bigint[]
  readonly trieSize: number
}

/** Responses of a snapshot server (p2p.md §5 Snapshot sync). */
export class SnapAnswers {
  readonly #parts: SnapParts
  readonly #blocks: StoredBlocks
  #checkpoint: Checkpoint | null = null

  constructor(parts: SnapParts) {
    this.#parts = parts
    this.#blocks = new StoredBlocks(parts.chain)
  }

  /**
   * @returns null where the reference does not respond @throws StorageError or NativeError when a store is
   *   damaged
   */
  async answer(request: SnapRequest): Promise<PeerResponse | null> {
    switch (request.type) {
      case 'snapStatusRequest': {
        const found = this.#currentCheckpoint()
        if (found === null) return null
        const { blocks, totalDifficulties, trieSize } = found
        return { type: 'snapStatusResponse', id: request.id, blocks, totalDifficulties, trieSize }
      }
      case 'snapBlocksRequest': {
        const { blockNumber } = request
        const best = this.#parts.chain.reader.head().number
        if (!isHeight(blockNumber) || blockNumber < MIN_BLOCK || blockNumber > best) return null
        const last = this.#blocks.at(blockNumber - 1)
        const found = last && this.#withDifficulties(last, Math.min(SNAP_BLOCKS, last.number))
        return found && { type: 'snapBlocksResponse', id: request.id, ...found }
      }
      case 'snapStateChunkRequest':
        return this.#chunk(request.id, request.blockNumber, request.from)
    }
  }

  async #chunk(id: bigint, blockNumber: number, from: number): Promise<PeerResponse | null> {
    const block = isHeight(blockNumber) ? this.#blocks.at(blockNumber) : null
    const root = block && this.#stateRoot(block)
    if (root === null || !isHeight(from)) return null
    const { states, chunkSpan } = this.#parts
    const found = await states.chunk(root, from, ANSWER_BYTES)
    if (found === null) return null
    const { body, complete } = found
    const to = from + chunkSpan
    return { type: 'snapStateChunkResponse', id, chunk: body, blockNumber, from, to, complete }
  }

  #currentCheckpoint(): Checkpoint | null {
    const best = this.#parts.chain.reader.head().number
    const { step, distance } = this.#parts.checkpoint ?? {
      step: CHECKPOINT_STEP_BLOCKS,
      distance: CHECKPOINT_DISTANCE_BLOCKS,
    }
    const number = Math.max(0, best - (best % step) - distance)
    const block = this.#blocks.at(number)
    if (block === null) return null
    if (this.#checkpoint?.hash.equals(block.hash)) return this.#checkpoint
    const root = this.#stateRoot(block)
    const trieSize = root && this.#parts.states.size(root)
    const found = this.#withDifficulties(block, SNAP_BLOCKS + 1)
    if (trieSize === null || found === null) return null
    this.#checkpoint = { hash: block.hash, trieSize, ...found }
    return this.#checkpoint
  }

  /** Before RSKIP126 headers name another trie, whose nodes are not stored. */
  #stateRoot(block: BlockReference): Buffer | null {
    const { spec, reader } = this.#parts.chain
    if (!isActive(spec, 'rskip126', block.number)) return null
    return reader.headerOf(block)?.fields.stateRoot ?? null
  }

  #withDifficulties(
    last: BlockReference,
    count: number,
  ): { blocks: Buffer[]; totalDifficulties: bigint[] } | null {
    const found = blocksUpTo(this.#blocks, last, count, ANSWER_BYTES)
    const totals = found.map(({ reference }) => this.#parts.chain.reader.totalDifficulty(reference.hash))
    if (found.length === 0 || !totals.every((total) => total !== null)) return null
    return { blocks: found.map(({ encoded }) => encoded), totalDifficulties: totals }
  }
}
