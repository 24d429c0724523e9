import { setImmediate } from 'node:timers/promises'
import { StorageError } from '../storage/errors.ts'
import type { Blockchain } from './blockchain.ts'

/** Blocks that one commit disconnects: what it writes stays in memory until then. */
const BLOCKS_OF_A_STEP = 1_000

export interface RewindSteps {
  /** Ends it between two commits. */
  readonly signal?: AbortSignal
  /** Called after each commit with the number of the head. */
  readonly onStep?: (head: number) => void
  /** Blocks that one commit disconnects. */
  readonly blocksOfAStep?: number
}

/**
 * Goes back to a canonical block in several commits, each of which leaves a whole chain. Blocks above it are disconnected
 * as if they had never come, those beside the chain included.
 * @param to number of the block, at most that of the head
 * @returns blocks of the chain that were taken back
 * @throws StorageError `STORAGE_NOT_KEPT` when its state is not kept; nothing was changed then
 */
export async function rewindInSteps(
  chain: Blockchain,
  to: number,
  { signal, onStep, blocksOfAStep = BLOCKS_OF_A_STEP }: RewindSteps = {},
): Promise<number> {
  const from = chain.head.number
  if (to > from) throw new RangeError(`block ${to} is above the head ${from}`)
  const { firstBlock, firstState } = chain.reader.history()
  const oldest = Math.max(firstBlock, firstState)
  if (to < oldest)
    throw new StorageError(
      'STORAGE_NOT_KEPT',
      `this node keeps blocks with their states from block ${oldest}`,
    )
  while (chain.head.number > to && signal?.aborted !== true) {
    const next = Math.max(to, chain.head.number - blocksOfAStep)
    const target = chain.reader.headerByNumber(next)
    if (target === null) throw new StorageError('STORAGE_CORRUPT', `block ${next} of the chain is missing`)
    chain.rewind(target)
    onStep?.(next)
    // A signal is handled between two turns.
    await setImmediate()
  }
  return from - chain.head.number
}
