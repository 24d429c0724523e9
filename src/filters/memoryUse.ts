import type { LogCriteria } from '../chain/logs/logCriteria.ts'

/** The memory of a client, which filters and subscriptions draw from. */
export interface MemoryUse {
  /**
   * Takes bytes.
   * @throws the error for the client when the limit is reached; nothing is taken then
   */
  draw(bytes: number): void
  /** Gives bytes back. */
  release(bytes: number): void
}

/**
 * What V8 keeps, in bytes, as a filter or subscription without criteria and for each address or topic in it: objects,
 * keys of maps and the text. The heap of 60,000 criteria with 1 to 700 addresses or topics was measured after a garbage
 * collection: filters came to 630 and 180 to 220, subscriptions to 760 and 450 to 540. The criteria of subscriptions
 * are kept by the native core since; by its layout they take less there, and the figures stay as bounds.
 */
const FILTER_BYTES = { base: 640, item: 220 }
const SUBSCRIPTION_BYTES = { base: 800, item: 540 }

/** Bytes that a filter takes. @param criteria null for one that has none */
export function filterBytes(criteria: LogCriteria | null): number {
  return FILTER_BYTES.base + FILTER_BYTES.item * itemsOf(criteria)
}

/** Bytes that a subscription takes. @param criteria null for one that has none */
export function subscriptionBytes(criteria: LogCriteria | null): number {
  return SUBSCRIPTION_BYTES.base + SUBSCRIPTION_BYTES.item * itemsOf(criteria)
}

/** Addresses, topics and positions. */
function itemsOf(criteria: LogCriteria | null): number {
  if (criteria === null) return 0
  const { addresses, topics } = criteria
  return topics.reduce((sum, alternatives) => sum + alternatives.length + 1, addresses.length)
}
