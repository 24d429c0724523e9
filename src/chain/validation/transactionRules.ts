import { isActive } from '../../config/activations.ts'
import { toHex } from '../../util/bytes.ts'
import type { Block } from '../codec/block.ts'
import { transactionsRoot } from '../codec/block.ts'
import type { BlockHeader } from '../codec/header.ts'
import { hasValidFieldLengths } from '../codec/signature.ts'
import type { Transaction } from '../codec/transaction.ts'
import { PARALLEL_SUBLISTS } from '../consensus.ts'
import { BLOCK_GAS_PRICE_CAP, exceedsGasPriceCap } from '../gasPriceCap.ts'
import type { Violation } from './blockRules.ts'
import type { ValidationContext } from './validationContext.ts'

/** Field lengths are within bounds and signed transactions have a sender (consensus.md §4.2 rule 1). */
export function checkTransactionFields(block: Block): Violation | null {
  const { senders } = block
  for (const [index, transaction] of block.transactions.entries()) {
    if (!hasValidFieldLengths(transaction))
      return {
        expected: 'fields of at most 32 bytes',
        found: `more or none ${describePosition(transaction, index)}`,
      }
    if (transaction.fields.signature !== null && !senders[index]) {
      return { expected: 'a recoverable sender', found: `none ${describePosition(transaction, index)}` }
    }
  }
  return null
}

/**
 * Each sender's nonces follow its account's (consensus.md §4.2 rule 2); this includes the reward transaction.
 */
export function checkTransactionNonces(
  context: ValidationContext,
  block: Block,
  parent: BlockHeader,
): Violation | null {
  const next = new Map<string, bigint>()
  const { senders } = block
  for (const [index, transaction] of block.transactions.entries()) {
    const sender = senders[index]
    if (!sender) return { expected: 'a signature', found: `none ${describePosition(transaction, index)}` }
    const key = sender.toString('hex')
    const expected = next.get(key) ?? context.nonceAfter(parent, sender)
    if (transaction.nonce !== expected) {
      return {
        expected: `nonce ${expected}`,
        found: `${transaction.nonce} ${describePosition(transaction, index)}`,
      }
    }
    next.set(key, expected + 1n)
  }
  return null
}

/** Every transaction pays at least the block's minimum gas price (consensus.md §4.3 rule 1). */
export function checkTransactionGasPrice(block: Block): Violation | null {
  const { minimumGasPrice } = block.header.fields
  if (minimumGasPrice === null) return { expected: 'a minimum gas price', found: 'nothing' }
  for (const [index, transaction] of block.transactions.entries()) {
    if (transaction.isRemasc || transaction.gasPrice >= minimumGasPrice) continue
    return {
      expected: `${minimumGasPrice} wei or more`,
      found: `${transaction.gasPrice} in transaction ${index}`,
    }
  }
  return null
}

/**
 * No transaction pays more than a hundred times the block's minimum gas price (consensus.md §4.3 rule 2,
 * RSKIP252).
 */
export function checkTransactionGasPriceCap(context: ValidationContext, block: Block): Violation | null {
  if (!isActive(context.spec, 'rskip252', block.number)) return null
  const minimum = block.header.fields.minimumGasPrice ?? 0n
  for (const [index, transaction] of block.transactions.entries()) {
    if (!exceedsGasPriceCap(transaction, minimum, BLOCK_GAS_PRICE_CAP)) continue
    return {
      expected: `${minimum * BLOCK_GAS_PRICE_CAP} wei or less`,
      found: `${transaction.gasPrice} in transaction ${index}`,
    }
  }
  return null
}

/** The transactions have the root that the header names (consensus.md §4.3 rule 4). */
export function checkTransactionsRoot(context: ValidationContext, block: Block): Violation | null {
  const expected = transactionsRoot(context.spec, block.number, block.transactions)
  const found = block.header.fields.txTrieRoot
  return expected.equals(found) ? null : { expected: toHex(expected), found: toHex(found) }
}

/** The block ends with the reward transaction (consensus.md §4.3 rule 6). */
export function checkRemascTransaction(block: Block): Violation | null {
  if (block.transactions.at(-1)?.isRemasc === true) return null
  return {
    expected: 'the reward transaction at the end',
    found: `${block.transactions.length} other transactions`,
  }
}

/**
 * The edges of the parallel sublists ascend and exclude the reward transaction (consensus.md §4.6, RSKIP144).
 */
export function checkSublistEdges(context: ValidationContext, block: Block): Violation | null {
  const { spec } = context
  if (!isActive(spec, 'rskip351', block.number) || !isActive(spec, 'rskip144', block.number)) return null
  const { edges } = block.header.fields
  if (edges === null) return { expected: 'edges', found: 'none' }
  const found = `[${edges.join(', ')}]`
  if (edges.length > PARALLEL_SUBLISTS) return { expected: `at most ${PARALLEL_SUBLISTS} edges`, found }
  let previous = 0
  for (const edge of edges) {
    if (edge <= previous) return { expected: 'rising edges above 0', found }
    previous = edge
  }
  // The sequential sublist holds at least the reward transaction, where there is one.
  const last = block.transactions.length - (context.disabledRules.has('remascTransaction') ? 0 : 1)
  return previous > last && edges.length > 0 ? { expected: `edges up to ${last}`, found } : null
}

function describePosition(transaction: Transaction, index: number): string {
  return `in transaction ${index} ${toHex(transaction.hash)}`
}
