import type { BeyondHead } from '../../config/beyondHead.ts'
import type { NodeContext } from '../context.ts'
import { RpcError } from '../errors.ts'
import { quantity } from '../format/quantity.ts'
import { PagedResult, RawElements, type RpcResult } from '../json.ts'
import type { LogFilter } from '../params/logFilter.ts'
import { assertReceiptsKept, unknownBlock } from '../select/history.ts'
import { encodeLogSearch, type LogSearch, readLogs } from './logSearch.ts'
import { type LogRange, resolveLogRange } from './resolveLogRange.ts'

/**
 * Bytes of a page: large enough that the turn to a worker and back does not count, small enough that many open
 * answers do not either. Writing one takes a worker less than a millisecond.
 */
const PAGE_BYTES = 512 * 1024
/** More logs than fit into a page. */
const NO_LIMIT = 0xffff_ffff

/**
 * Logs of a filter in chain order. A range of few blocks has no limit on its logs and comes in pages; a
 * wider one comes whole (decisions.md D30).
 * @throws RpcError kind `unknownBlock` for a hash of no block (decisions.md D69); as {@link resolveLogRange}; `logLimit`
 *   for more logs than a wide range may have: it names a range that is accepted; `overLimit` for a wide range with more
 *   text than an answer may have
 */
export function findLogs(context: NodeContext, filter: LogFilter, beyondHead: BeyondHead): RpcResult {
  const criteria = { addresses: filter.addresses, topics: filter.topics }
  const { chain, node } = context
  if (filter.blockHash !== null) {
    const number = chain.heightOf(filter.blockHash)
    if (number === null) throw unknownBlock(filter.blockHash)
    // The bloom of its header may exclude the block, whose logs are not known all the same.
    assertReceiptsKept(chain, number)
    return pageOf(context, { criteria, blocks: [{ hash: filter.blockHash }] })
  }
  const range = resolveLogRange(context, filter, beyondHead)
  if (range === null) return []
  const search = { criteria, blocks: { ...range, tip: chain.head().hash } }
  const isNarrow = range.to - range.from < node.settings.logBlocks
  return isNarrow ? pageOf(context, search) : readWhole(context, search, range)
}

/** The first page of a search, and how to go on. */
export function pageOf(context: NodeContext, search: LogSearch): PagedResult {
  const { bytes, rest } = readLogs(context, search, { bytes: PAGE_BYTES, logs: NO_LIMIT })
  return new PagedResult(bytes, rest === null ? null : encodeLogSearch(rest))
}

function readWhole(context: NodeContext, search: LogSearch, { from }: LogRange): RawElements {
  const { logBlocks, logCount, answerBytes } = context.node.settings
  // Full at the first byte or log too many.
  const { bytes, count, last } = readLogs(context, search, { bytes: answerBytes + 1, logs: logCount })
  const accepted = from + logBlocks - 1
  if (count > logCount) {
    const reached = Math.max(accepted, (last ?? from) - 1)
    throw tooMuch('logLimit', `Filter returned more than ${logCount} logs`, { from, to: reached })
  }
  if (bytes.length > answerBytes) {
    throw tooMuch('overLimit', `Response size limit of ${answerBytes} bytes exceeded`, { from, to: accepted })
  }
  return new RawElements(bytes)
}

/**
 * The refusal of a range with one that is accepted, in the words of Infura, by which indexers find it: ponder, rindexer,
 * graph-node (decisions.md D30).
 */
function tooMuch(kind: 'logLimit' | 'overLimit', reason: string, { from, to }: LogRange): RpcError {
  const data = { fromBlock: quantity(from), toBlock: quantity(to) }
  const message = `${reason}. Try with this block range [${data.fromBlock}, ${data.toBlock}].`
  return new RpcError(kind, message, { data })
}
