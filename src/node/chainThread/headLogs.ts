import type { ChainStoreReader } from '../../chain/chainStoreReader.ts'
import { BLOOM_LENGTH } from '../../chain/codec/logsBloom.ts'
import type { EncodedObjectCache } from '../../native/encodedObjectCache.ts'
import type { BlockReference } from '../../storage/blockKey.ts'

const EMPTY_BLOOM = Buffer.alloc(BLOOM_LENGTH)

/**
 * Writes the logs of a new head as text, before other threads learn of the head: they then neither read its receipts
 * nor walk them. Several blocks that join the chain at once are caught up with, and nobody waits for their logs.
 */
export function writeHeadLogs(
  reader: ChainStoreReader,
  texts: EncodedObjectCache,
  enacted: readonly BlockReference[],
): void {
  const [block, ...others] = enacted
  if (block === undefined || others.length > 0) return
  const bloom = reader.headerOf(block)?.fields.logsBloom
  if (bloom === undefined || bloom?.equals(EMPTY_BLOOM) === true) return
  const receipts = reader.storedReceipts(block)
  const body = reader.storedBody(block)
  if (receipts !== null && body !== null) texts.writeLogs(block, { receipts, body })
}
