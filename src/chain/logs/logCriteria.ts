import { bloomBits } from '../codec/logsBloom.ts'
import type { LogConditions } from '../tables/logIndex.ts'
import { ANY_LOG, addressTerm, topicTerm } from '../tables/logTerm.ts'

/** Criteria for logs. Empty lists match anything. */
export interface LogCriteria {
  /** 20 bytes each; any of them. */
  readonly addresses: readonly Buffer[]
  /** 32 bytes each; by position any of the topics. A log must have as many topics as the last non-empty position. */
  readonly topics: readonly (readonly Buffer[])[]
}

/** The conditions by which the index is asked for blocks with such logs. */
export function logConditions({ addresses, topics }: LogCriteria): LogConditions {
  const conditions = topics.map((alternatives, position) =>
    alternatives.map((topic) => topicTerm(position, topic)),
  )
  conditions.push(addresses.map((address) => addressTerm(address)))
  const asked = conditions.filter((terms) => terms.length > 0)
  return asked.length === 0 ? [[ANY_LOG]] : asked
}

/** A test whether a block of some bloom may hold such a log. */
export function createBloomTest({ addresses, topics }: LogCriteria): (bloom: Uint8Array) => boolean {
  const conditions = [addresses, ...topics]
    .filter((alternatives) => alternatives.length > 0)
    .map((alternatives) => alternatives.map((element) => bloomBits(element)))
  return (bloom) =>
    conditions.every((alternatives) =>
      alternatives.some((bits) => bits.every(({ byte, mask }) => ((bloom[byte] ?? 0) & mask) !== 0)),
    )
}
