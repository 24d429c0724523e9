import { isActive } from '../../config/activations.ts'
import type { NetworkSpec } from '../../config/networkSpec.ts'
import { keccak256 } from '../../native/crypto.ts'
import type { TableReader } from '../../storage/chainEnvironment.ts'
import { encodeSenders } from '../chainStoreReader.ts'
import { type Block, blockFromParts, transactionsRoot, unclesHash } from '../codec/block.ts'
import { impersonatedSender } from '../codec/impersonated.ts'
import { createLogsBloom } from '../codec/logsBloom.ts'
import { orderedRoot } from '../codec/orderedRoot.ts'
import { parseReceipt } from '../codec/receipt.ts'
import { parseRLPList } from '../codec/rlpReader.ts'
import { type BlockReference, blockKey } from '../tables/blockKey.ts'
import { readHistory } from '../tables/metadata.ts'
import { readPosition } from '../tables/totalDifficulty.ts'
import { readOccurrences } from '../tables/transactionIndex.ts'

/**
 * Checks everything that is stored under the height and hash of one block against the block itself, and its
 * total difficulty against its parent's.
 * @param recoversSenders whether senders are compared with signatures, which takes as long as all the rest
 * @returns the block, where it can be read, and what is wrong
 */
export function checkStoredBlock(
  spec: NetworkSpec,
  tables: TableReader,
  reference: BlockReference,
  recoversSenders = false,
): { block: Block | null; problems: string[] } {
  const key = blockKey(reference)
  const header = tables.get('headers', key)
  const body = tables.get('bodies', key)
  if (header === undefined || body === undefined) {
    return { block: null, problems: [header === undefined ? 'its header is missing' : 'its body is missing'] }
  }
  try {
    const block = blockFromParts(spec, header, body)
    const problems = [...checkContent(spec, block, reference.hash), ...checkRecords(spec, tables, block)]
    if (recoversSenders) problems.push(...checkSenders(tables, block))
    return { block, problems }
  } catch (error) {
    return {
      block: null,
      problems: [`it does not decode: ${error instanceof Error ? error.message : String(error)}`],
    }
  }
}

/** Differences between a block and what its header commits to. */
export function checkContent(spec: NetworkSpec, block: Block, hash: Buffer): string[] {
  const { fields } = block.header
  const problems: string[] = []
  if (!block.hash.equals(hash)) problems.push(`its header has the hash ${block.hashHex}`)
  if (
    block.number > 0 &&
    !transactionsRoot(spec, block.number, block.transactions).equals(fields.txTrieRoot)
  ) {
    problems.push('its transactions have another root')
  }
  if (block.number > 0 && !unclesHash(block.uncles).equals(fields.unclesHash)) {
    problems.push('its uncles have another hash')
  }
  return problems
}

function checkRecords(spec: NetworkSpec, tables: TableReader, block: Block): string[] {
  return [
    ...checkPosition(tables, block),
    ...checkReceipts(spec, tables, block),
    ...checkIndex(tables, block),
  ]
}

function checkPosition(tables: TableReader, block: Block): string[] {
  const position = readPosition(tables, block.hash)
  if (position === undefined) return ['its total difficulty is missing']
  if (position.height !== block.number) return [`it is filed under height ${position.height}`]
  // Below the first stored block there is no parent difficulty to add to.
  if (block.number > 0 && block.number === readHistory(tables).firstBlock) return []
  const below = block.number === 0 ? 0n : readPosition(tables, block.header.parentHash)?.totalDifficulty
  if (below === undefined) return ['its parent is not stored']
  const expected = below + block.cumulativeDifficulty
  return position.totalDifficulty === expected
    ? []
    : [`its total difficulty is ${position.totalDifficulty}, expected ${expected}`]
}

function checkReceipts(spec: NetworkSpec, tables: TableReader, block: Block): string[] {
  const stored = tables.get('receipts', blockKey(block))
  if (stored === undefined) return lacksReceipts(tables, block.number) ? [] : ['its receipts are missing']
  return checkReceiptList(spec, block, stored)
}

/** True when the block at a height was backfilled, without receipts. */
export function lacksReceipts(tables: TableReader, number: number): boolean {
  return number > 0 && number < readHistory(tables).firstReceipts
}

/** Differences between the stored receipts of a block and what its header commits to. */
export function checkReceiptList(spec: NetworkSpec, block: Block, stored: Buffer): string[] {
  if (block.number === 0) return []
  const receipts = parseRLPList(stored).map((item) => item.bytes)
  const problems: string[] = []
  if (receipts.length !== block.transactions.length) {
    problems.push(`it has ${receipts.length} receipts for ${block.transactions.length} transactions`)
  }
  const { fields } = block.header
  if (!orderedRoot(receipts, isActive(spec, 'rskip126', block.number)).equals(fields.receiptTrieRoot)) {
    problems.push('its receipts have another root')
  }
  const bloom = createLogsBloom(receipts.flatMap((receipt) => parseReceipt(receipt).logs))
  if (fields.logsBloom !== null && !bloom.equals(fields.logsBloom))
    problems.push('its logs have another bloom')
  return problems
}

function checkSenders(tables: TableReader, block: Block): string[] {
  const stored = tables.get('senders', blockKey(block)) ?? Buffer.alloc(0)
  const senders = block.senders.map((sender, index) => {
    const transaction = block.transactions[index]
    return (transaction && impersonatedSender(transaction)) ?? sender
  })
  return stored.equals(encodeSenders(senders)) ? [] : ['its senders are not who signed']
}

function checkIndex(tables: TableReader, block: Block): string[] {
  const problems: string[] = []
  const senders = tables.get('senders', blockKey(block))?.length ?? 0
  if (senders !== block.transactions.length * 20) problems.push(`it has ${senders} bytes of senders`)
  block.transactions.forEach((transaction, index) => {
    // The stored encoding is canonical, so its hash is the key.
    const found = readOccurrences(tables, keccak256(transaction.encoded)).some(
      (occurrence) => occurrence.blockHash.equals(block.hash) && occurrence.index === index,
    )
    if (!found) problems.push(`its transaction ${index} is not in the index`)
  })
  return problems
}
