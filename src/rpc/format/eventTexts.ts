import type { BlockHeader } from '../../chain/codec/header.ts'
import { parseTransaction } from '../../chain/codec/transactionDecoder.ts'
import type { EventTexts } from '../../filters/events.ts'
import { toHex } from '../../util/bytes.ts'
import { LogText } from '../logs/logText.ts'
import { formatSyncing } from './formatSyncing.ts'
import { formatTransaction } from './formatTransaction.ts'
import { formatWork } from './formatWork.ts'
import { quantity, quantityOfBytes } from './quantity.ts'

/** Events as subscribers get them (specification.md Subscription types). */
export const EVENT_TEXTS: EventTexts = {
  header: (header) => JSON.stringify(formatHead(header)),
  logs: (block, removed) => new LogText(block, removed),
  pendingTransaction: ({ encoded, sender }) =>
    JSON.stringify(formatTransaction(parseTransaction(encoded), sender, null)),
  syncing: (progress) => JSON.stringify(formatSyncing(progress)),
  work: (work) => JSON.stringify(formatWork(work)),
}

/** The 14 fields of a header in a newHeads notification. */
function formatHead(header: BlockHeader) {
  const { fields } = header
  return {
    difficulty: quantity(header.difficulty),
    extraData: toHex(fields.extraData),
    gasLimit: quantityOfBytes(fields.gasLimitBytes),
    gasUsed: quantity(fields.gasUsed),
    logsBloom: fields.logsBloom === null ? null : toHex(fields.logsBloom),
    miner: toHex(fields.coinbase),
    number: quantity(header.number),
    parentHash: toHex(fields.parentHash),
    receiptsRoot: toHex(fields.receiptTrieRoot),
    sha3Uncles: toHex(fields.unclesHash),
    stateRoot: toHex(fields.stateRoot),
    timestamp: quantity(fields.timestamp),
    transactionsRoot: toHex(fields.txTrieRoot),
    hash: toHex(header.hash),
  }
}
