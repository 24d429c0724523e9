import type { BlockHeader } from '../codec/header.ts'
import type { BlockRule, Violation } from './blockRules.ts'
import {
  checkBlockNumber,
  checkDifficulty,
  checkExtraData,
  checkGasLimitRange,
  checkMinimumGasLimit,
  checkMinimumGasPriceRange,
  checkTimestamp,
} from './headerRules.ts'
import type { HeaderContext } from './validationContext.ts'

/** A rule that a header breaks. */
export interface BrokenRule extends Violation {
  readonly rule: BlockRule
}

/**
 * The first rule that a header alone breaks, beside its proof of work; null where it breaks none (consensus.md §4.3).
 */
export function checkHeaderAlone(context: HeaderContext, header: BlockHeader): BrokenRule | null {
  const isOff = context.disabledRules.has('minimumGasLimit')
  return (
    broken('timestamp', checkTimestamp(context, header)) ??
    (isOff ? null : broken('minimumGasLimit', checkMinimumGasLimit(header))) ??
    broken('extraData', checkExtraData(header))
  )
}

/** The first rule that a header breaks against its parent alone; null where it breaks none (consensus.md §4.2). */
export function checkHeaderOnParent(
  context: HeaderContext,
  header: BlockHeader,
  parent: BlockHeader,
): BrokenRule | null {
  const off = context.disabledRules
  return (
    broken('blockNumber', checkBlockNumber(header, parent)) ??
    broken('minimumGasPriceRange', checkMinimumGasPriceRange(header, parent)) ??
    (off.has('difficulty') ? null : broken('difficulty', checkDifficulty(context, header, parent))) ??
    (off.has('gasLimitRange') ? null : broken('gasLimitRange', checkGasLimitRange(context, header, parent)))
  )
}

function broken(rule: BlockRule, violation: Violation | null): BrokenRule | null {
  return violation === null ? null : { rule, ...violation }
}
