import type { BlockReference } from '../chain/tables/blockKey.ts'
import type { StoredLogBlock } from '../native/encodedObjectCache.ts'
import type { EventChain } from './events.ts'

/** The data from which the logs of a block are written; null when it is not stored. */
export function storedLogs(chain: EventChain, block: BlockReference): StoredLogBlock | null {
  const receipts = chain.storedReceipts(block)
  const body = chain.storedBody(block)
  return receipts === null || body === null ? null : { receipts, body }
}
