import type { BlockHeader } from '../../chain/codec/header.ts'
import type { NodeContext } from '../context.ts'
import { RawBytes } from '../json.ts'

const NO_SENDERS = Buffer.alloc(0)

/**
 * The receipts of a stored block as an array; null when there are none. The text is kept: nothing of it depends on
 * anything but the hash.
 * @throws RpcError `historyNotKept` where they are older than all that are kept
 */
export function receiptsAnswer({ chain, encodedObjects }: NodeContext, header: BlockHeader): RawBytes | null {
  const { number, hash } = header
  const kept = encodedObjects.text('blockReceipts', hash, hash)
  if (kept !== null) return new RawBytes(kept)
  const block = { number, hash }
  const receipts = chain.storedReceipts(block)
  const body = chain.storedBody(block)
  if (receipts === null || body === null) return null
  const senders = chain.storedSenders(block) ?? NO_SENDERS
  return new RawBytes(encodedObjects.writeReceipts({ ...block, body, senders }, receipts))
}
