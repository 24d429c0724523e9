import type { BlockHeader } from '../../chain/codec/header.ts'
import { bloomMayContain } from '../../chain/codec/logsBloom.ts'
import type { NodeContext } from '../context.ts'
import { RpcError } from '../errors.ts'
import type { Json } from '../json.ts'
import { formatLog } from './formatLog.ts'
import { matchesLog } from './matchLog.ts'
import type { LogFilter } from './params/logFilter.ts'
import { resolveLogRange } from './resolveLogRange.ts'

/**
 * Logs of a filter in chain order, read block by block where the bloom allows a match.
 * @throws RpcError kind `logLimit` for more logs than a wide range may have; it names a range that is
 *   accepted (design.md §4)
 */
export function findLogs(context: NodeContext, filter: LogFilter): Json {
  const { chain, node } = context
  const { settings } = node
  const found: Json[] = []
  if (filter.blockHash !== null) {
    const header = chain.headerByHash(filter.blockHash)
    if (header !== null) collect(context, header, filter, found)
    return found
  }
  const range = resolveLogRange(context, filter)
  if (range === null) return found
  const limited = range.to - range.from + 1 > settings.logBlocks
  for (let number = range.from; number <= range.to; number++) {
    const header = chain.headerByNumber(number)
    if (header === null) break
    collect(context, header, filter, found)
    if (limited && found.length > settings.logCount) {
      const accepted = Math.max(range.from + settings.logBlocks - 1, number - 1)
      throw new RpcError(
        'logLimit',
        `Filter returned more than ${settings.logCount} logs. ` +
          `Use the range 0x${range.from.toString(16)} to 0x${accepted.toString(16)}.`,
      )
    }
  }
  return found
}

/** Adds the matching logs of one block. */
function collect({ chain }: NodeContext, header: BlockHeader, filter: LogFilter, into: Json[]): void {
  const { logsBloom } = header.fields
  if (logsBloom !== null && !bloomMayMatch(logsBloom, filter)) return
  const block = chain.blockByHash(header.hash)
  const receipts = chain.receipts(header.hash)
  if (block === null || receipts === null) return
  let logIndex = 0
  receipts.forEach((receipt, transactionIndex) => {
    const transaction = block.transactions[transactionIndex]
    for (const log of receipt.logs) {
      if (transaction !== undefined && matchesLog(filter, log)) {
        const place = {
          logIndex,
          blockNumber: header.number,
          blockHash: header.hash,
          transactionHash: transaction.hash,
          transactionIndex,
        }
        into.push(formatLog(log, place))
      }
      logIndex += 1
    }
  })
}

/** Whether the block may hold a matching log: some address and, at each position, some topic. */
function bloomMayMatch(bloom: Buffer, { addresses, topics }: LogFilter): boolean {
  const mayHold = (alternatives: readonly Buffer[]) =>
    alternatives.length === 0 || alternatives.some((element) => bloomMayContain(bloom, element))
  return mayHold(addresses) && topics.every(mayHold)
}
