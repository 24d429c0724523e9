import { toHex } from '../../util/bytes.ts'
import type { NodeContext } from '../context.ts'
import { RpcError } from '../errors.ts'
import { blockAnswer } from '../format/blockAnswer.ts'
import type { JsonObject } from '../format/formatBlock.ts'
import { minedAnswer } from '../format/minedAnswer.ts'
import { quantity } from '../format/quantity.ts'
import { type Json, RawBytes } from '../json.ts'
import { type FoundTransaction, findTransaction } from '../tracers/traceBlock.ts'

/** Characters of the selector of a method in hex. */
const SELECTOR_CHARACTERS = 10

/** A stored block in Otterscan's form, which has a count of transactions and no bloom. */
export interface OtterscanBlock {
  /** Without its transactions. */
  readonly block: JsonObject
  readonly transactions: readonly JsonObject[]
  /** Seconds since 1970. */
  readonly timestamp: number
  /** Wei. */
  readonly paidFees: bigint
}

/** The stored block of a hash; null when there is none. */
export function otterscanBlock(context: NodeContext, hash: Buffer): OtterscanBlock | null {
  const header = context.chain.headerByHash(hash)
  const answer = header === null ? null : blockAnswer(context, hash, true)
  if (header === null || answer === null) return null
  const { transactions, ...block } = objectOf(answer)
  const list = (transactions ?? []) as readonly JsonObject[]
  return {
    block: { ...block, logsBloom: null, transactionCount: list.length },
    transactions: list,
    timestamp: header.timestamp,
    paidFees: header.fields.paidFees,
  }
}

/** A transaction with no more of its input than the selector of the method. */
export function withoutInput(transaction: JsonObject): JsonObject {
  const { input } = transaction
  return typeof input === 'string'
    ? { ...transaction, input: input.slice(0, SELECTOR_CHARACTERS) }
    : transaction
}

/** The canonical transaction of a hash; null when there is none. */
export function minedTransaction(context: NodeContext, hash: Buffer): JsonObject | null {
  const answer = minedAnswer(context, 'transaction', hash)
  return answer instanceof RawBytes ? objectOf(answer) : null
}

/** The receipt of a canonical transaction; null when there is none. @param timestamp of its block, which it gets */
export function receiptWithTime(context: NodeContext, hash: Buffer, timestamp: number): JsonObject | null {
  const answer = minedAnswer(context, 'receipt', hash)
  return answer instanceof RawBytes ? { ...objectOf(answer), timestamp: quantity(timestamp) } : null
}

/** The canonical transaction of a hash. @throws RpcError -32000 when there is none, as debug_traceTransaction */
export function requireTransaction(context: NodeContext, hash: Buffer): FoundTransaction {
  const found = findTransaction(context, hash)
  if (found === null) throw new RpcError('executionFailed', `transaction ${toHex(hash)} not found`)
  return found
}

function objectOf(bytes: RawBytes): JsonObject {
  const text = Buffer.allocUnsafe(bytes.length)
  bytes.moveTo(text, 0)
  return JSON.parse(text.toString('utf8')) as { readonly [key: string]: Json }
}
