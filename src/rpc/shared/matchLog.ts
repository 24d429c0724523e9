import type { Log } from '../../chain/codec/receipt.ts'
import type { LogFilter } from './params/logFilter.ts'

/** Whether a log matches: any of the addresses, and at each position any of the topics. */
export function matchesLog(filter: LogFilter, log: Log): boolean {
  if (!isAnyOf(filter.addresses, log.address)) return false
  return filter.topics.every((alternatives, position) => {
    if (alternatives.length === 0) return true
    const topic = log.topics[position]
    return topic !== undefined && isAnyOf(alternatives, topic)
  })
}

function isAnyOf(alternatives: readonly Buffer[], bytes: Buffer): boolean {
  return alternatives.length === 0 || alternatives.some((alternative) => alternative.equals(bytes))
}
