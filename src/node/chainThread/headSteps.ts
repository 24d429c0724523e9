import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ChainStoreReader } from '../../chain/chainStoreReader.ts'
import type { BlockReference } from '../../storage/blockKey.ts'

/** Most blocks that a move of the head adds in one commit. */
export const STEP_BLOCKS = 512
/** Milliseconds for which headers are read before others get their turn of the thread. */
const TURN = 20

/**
 * The blocks over which a head goes up to an executed one, the target last: a member that joins moves over the whole
 * chain, which is neither held in memory nor written in one commit.
 * @param from the head
 */
export async function headSteps(
  reader: Pick<ChainStoreReader, 'headerByHash'>,
  from: BlockReference,
  to: Buffer,
): Promise<readonly Buffer[]> {
  const steps = [to]
  let header = reader.headerByHash(to)
  const between = Math.ceil(((header?.number ?? 0) - from.number) / STEP_BLOCKS) - 1
  let turnEnd = performance.now() + TURN
  for (let walked = 1; header !== null && walked <= between * STEP_BLOCKS; walked += 1) {
    header = reader.headerByHash(header.parentHash)
    if (header !== null && walked % STEP_BLOCKS === 0) steps.push(header.hash)
    if (performance.now() < turnEnd) continue
    await nextTurn()
    turnEnd = performance.now() + TURN
  }
  return steps.reverse()
}
