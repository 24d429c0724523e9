import type { BlockHeader } from '../../chain/codec/header.ts'
import { encodeList } from '../../chain/codec/rlpWriter.ts'
import type { EventTexts } from '../../filters/events.ts'
import { writePendingTransactions } from '../../native/objectText.ts'
import { toHex } from '../../util/bytes.ts'
import { formatSyncing } from './formatSyncing.ts'
import { formatWork } from './formatWork.ts'
import { quantity, quantityOfBytes } from './quantity.ts'

/** Events as subscribers get them (specification.md Subscription types). */
export const EVENT_TEXTS: EventTexts = {
  header: (header) => JSON.stringify(formatHead(header)),
  pendingTransaction: ({ encoded, sender }) => writePendingTransactions(encodeList([encoded]), sender),
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
    // Of an empty coinbase the reference writes one byte here, and none in block objects.
    miner: fields.coinbase.length === 0 ? '0x00' : toHex(fields.coinbase),
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
