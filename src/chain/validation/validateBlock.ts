import { toHex } from '../../util/bytes.ts'
import type { Block } from '../codec/block.ts'
import type { BlockHeader } from '../codec/header.ts'
import type { BlockRule, Violation } from './blockRules.ts'
import { InvalidBlockError } from './errors.ts'
import {
  checkBlockNumber,
  checkDifficulty,
  checkExtraData,
  checkForkDetectionData,
  checkGasLimitRange,
  checkMinimumGasLimit,
  checkMinimumGasPriceRange,
  checkTimestamp,
} from './headerRules.ts'
import { checkProofOfWork } from './proofOfWork.ts'
import {
  checkRemascTransaction,
  checkSublistEdges,
  checkTransactionFields,
  checkTransactionGasPrice,
  checkTransactionGasPriceCap,
  checkTransactionNonces,
  checkTransactionsRoot,
} from './transactionRules.ts'
import { checkUncles } from './uncles.ts'
import type { ValidationContext } from './validationContext.ts'

interface NamedRule {
  readonly rule: BlockRule
  check(context: ValidationContext, block: Block, parent: BlockHeader): Violation | null
}

/** The rules of consensus.md §4.2 and §4.3, in their order. */
const RULES: readonly NamedRule[] = [
  { rule: 'transactionFields', check: (_context, block) => checkTransactionFields(block) },
  { rule: 'transactionNonces', check: checkTransactionNonces },
  {
    rule: 'minimumGasPriceRange',
    check: (_context, block, parent) => checkMinimumGasPriceRange(block.header, parent),
  },
  { rule: 'blockNumber', check: (_context, block, parent) => checkBlockNumber(block.header, parent) },
  { rule: 'difficulty', check: (context, block, parent) => checkDifficulty(context, block.header, parent) },
  {
    rule: 'gasLimitRange',
    check: (context, block, parent) => checkGasLimitRange(context, block.header, parent),
  },
  { rule: 'transactionGasPrice', check: (_context, block) => checkTransactionGasPrice(block) },
  { rule: 'transactionGasPriceCap', check: checkTransactionGasPriceCap },
  { rule: 'uncles', check: checkUncles },
  { rule: 'transactionsRoot', check: checkTransactionsRoot },
  { rule: 'proofOfWork', check: (context, block) => checkProofOfWork(context, block.header) },
  { rule: 'remascTransaction', check: (_context, block) => checkRemascTransaction(block) },
  { rule: 'timestamp', check: (context, block) => checkTimestamp(context, block.header) },
  { rule: 'minimumGasLimit', check: (_context, block) => checkMinimumGasLimit(block.header) },
  { rule: 'extraData', check: (_context, block) => checkExtraData(block.header) },
  { rule: 'forkDetectionData', check: (context, block) => checkForkDetectionData(context, block.header) },
  { rule: 'sublistEdges', check: checkSublistEdges },
]

/**
 * Applies every rule that needs no execution, in order (consensus.md §4.2, §4.3).
 * @throws InvalidBlockError for the first rule broken
 */
export function validateBlock(context: ValidationContext, block: Block, parent: BlockHeader): void {
  const disabled: ReadonlySet<BlockRule> = context.disabledRules
  for (const { rule, check } of RULES) {
    if (disabled.has(rule)) continue
    const violation = check(context, block, parent)
    if (violation !== null) throw createInvalidBlockError(rule, violation, block)
  }
}

/** The error for a rule that a block breaks. */
export function createInvalidBlockError(
  rule: BlockRule,
  violation: Violation,
  block: Block,
): InvalidBlockError {
  return new InvalidBlockError({
    rule,
    expected: violation.expected,
    found: violation.found,
    number: block.number,
    hash: toHex(block.hash),
  })
}
