import { writePendingTransactions } from '../../native/objectText.ts'
import { toHex } from '../../util/bytes.ts'
import type { PendingBlock } from '../context.ts'
import { RawJson } from '../json.ts'
import { blockText, type JsonObject, membersOfBlock } from './formatBlock.ts'
import { headerAnswer } from './headerAnswer.ts'

/** The fields that are not known before a block is sealed (rpc.md §3.3, decisions.md D28, D38). */
const UNKNOWN = { number: null, hash: null, nonce: null, logsBloom: null, miner: null }

/**
 * The block that would be made now, with its transactions as objects without a position in the chain, or as hashes.
 * Its total difficulty is zero, as in the reference.
 */
export function pendingBlockAnswer({ block, senders }: PendingBlock, full: boolean): RawJson {
  const { before, after } = membersOfBlock(block, 0n)
  const transactions = full
    ? writePendingTransactions(block.encodedTransactions, Buffer.concat(senders)).toString('latin1')
    : block.transactions.map(({ hash }) => `"${toHex(hash)}"`).join(',')
  return new RawJson(blockText({ before: { ...before, ...UNKNOWN }, after }, transactions))
}

/** Its header. */
export function pendingHeaderAnswer({ block }: PendingBlock): JsonObject {
  return { ...headerAnswer(block.header), ...UNKNOWN }
}
