import type { Blockchain } from '../../chain/blockchain.ts'
import { addressesOfSenders } from '../../chain/chainStoreReader.ts'
import { BLOOM_LENGTH } from '../../chain/codec/logsBloom.ts'
import type { BlockReference } from '../../chain/tables/blockKey.ts'
import type { EncodedObjectCache } from '../../native/encodedObjectCache.ts'

const EMPTY_BLOOM = Buffer.alloc(BLOOM_LENGTH)

/** Blocks with more transactions than these get no receipts in advance: nobody waits for all of them. */
const MAX_RECEIPTS = 4

/**
 * Writes the logs of a new head as text, before other threads learn of the head: they then neither read its receipts
 * nor walk them. Several blocks that join the chain at once are caught up with, and nobody waits for their logs.
 */
export function writeHeadLogs(
  { head, reader }: Pick<Blockchain, 'head' | 'reader'>,
  texts: EncodedObjectCache,
  enacted: readonly BlockReference[],
): void {
  const [block, ...others] = enacted
  if (block === undefined || others.length > 0) return
  const header = head.hash.equals(block.hash) ? head : reader.headerOf(block)
  const bloom = header?.fields.logsBloom
  if (bloom == null || bloom.equals(EMPTY_BLOOM)) return
  const receipts = reader.storedReceipts(block)
  const body = reader.storedBody(block)
  if (receipts !== null && body !== null) texts.writeLogs(block, { receipts, body })
}

/**
 * Writes the receipts of a new head that holds a few transactions of users, where blocks are made as transactions come:
 * whoever sent one asks for its receipt next, and the front thread has it then without a worker.
 */
export function writeHeadReceipts(
  chain: Pick<Blockchain, 'blockByHash' | 'reader'>,
  texts: EncodedObjectCache,
  enacted: readonly BlockReference[],
): void {
  const [reference, ...others] = enacted
  if (reference === undefined || others.length > 0) return
  const block = chain.blockByHash(reference.hash)
  const sent = block?.transactions.filter(({ isRemasc }) => !isRemasc).length ?? 0
  if (block === null || sent === 0 || sent > MAX_RECEIPTS) return
  const receipts = chain.reader.storedReceipts(reference)
  const body = chain.reader.storedBody(reference)
  if (receipts === null || body === null) return
  const { number: blockNumber, hash: blockHash } = reference
  const senders = addressesOfSenders(block.senders)
  block.transactions.forEach(({ hash, isRemasc }, index) => {
    const sender = senders[index]
    if (isRemasc || sender === undefined) return
    texts.writeMined({ hash, index, blockHash, blockNumber, body, sender, receipts })
  })
}
