import type { LogCriteria } from '../../chain/logs/logCriteria.ts'
import type { NodeContext } from '../context.ts'
import { RpcError, responseTooLarge } from '../errors.ts'
import { type PartedSearch, type RawBytes, SharedForward } from '../json.ts'
import { type BlockRange, encodeLogSearch, type LogSearch, readLogs } from '../logs/logSearch.ts'
import { assertReceiptsKept, unknownBlock } from '../select/history.ts'
import { leastBlocks } from './leastBlocks.ts'
import { partResult } from './partResult.ts'

/** Name of the internal method of parts. */
export const LOGS_PART = 'internal_logsPart'

/**
 * A search of logs for the members of a fleet to share; null where the range is too short for that.
 * @param range of the chain that ends with its tip
 */
export function shareLogSearch(
  { node }: NodeContext,
  criteria: LogCriteria,
  range: BlockRange,
): SharedForward | null {
  const { sharedBlocks, logBlocks, logCount } = node.settings
  const shared = sharedBlocks.logs
  if (shared === 0 || range.to - range.from < Math.max(shared, logBlocks)) return null
  const { addresses, topics } = criteria
  const search: PartedSearch = {
    method: LOGS_PART,
    from: range.from,
    to: range.to,
    leastBlocks: leastBlocks(shared),
    most: logCount,
    part: (from, to) =>
      `[${encodeLogSearch({ criteria: { addresses, topics }, blocks: { ...range, from, to } })}]`,
  }
  return new SharedForward(search)
}

/**
 * The logs of a part.
 * @throws RpcError `unknownBlock` where the chain of the search is not known, `historyNotKept`, `logLimit` and
 *   `overLimit` for more than the whole may have
 */
export function logsOfPart(context: NodeContext, search: LogSearch): RawBytes {
  const { chain, node } = context
  const { logCount, answerBytes } = node.settings
  if (!('tip' in search.blocks)) throw new RpcError('invalidParams')
  const { tip, from } = search.blocks
  if (chain.headerByHash(tip) === null) throw unknownBlock(tip)
  assertReceiptsKept(chain, Math.max(1, from))
  const { bytes, count } = readLogs(context, search, { bytes: answerBytes + 1, logs: logCount })
  if (count > logCount) throw new RpcError('logLimit')
  if (bytes.length > answerBytes) throw responseTooLarge(answerBytes)
  return partResult(count, bytes)
}
