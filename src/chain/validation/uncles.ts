import { toHex } from '../../util/bytes.ts'
import type { Block } from '../codec/block.ts'
import { unclesHash } from '../codec/block.ts'
import type { BlockHeader } from '../codec/header.ts'
import { MAX_UNCLES, UNCLE_GENERATIONS } from '../consensus.ts'
import type { Violation } from './blockRules.ts'
import {
  checkBlockNumber,
  checkDifficulty,
  checkForkDetectionData,
  checkGasLimitRange,
  checkGasUsedWithinLimit,
  checkLaterThanParent,
  checkMinimumGasPriceRange,
  checkTimestamp,
} from './headerRules.ts'
import { checkProofOfWork } from './proofOfWork.ts'
import type { HeaderContext } from './validationContext.ts'

/** The uncles are real, recent, new siblings of ancestors (consensus.md §4.3, uncle rule). */
export function checkUncles(context: HeaderContext, block: Block): Violation | null {
  const expectedHash = unclesHash(block.uncles)
  const foundHash = block.header.fields.unclesHash
  if (!expectedHash.equals(foundHash)) return { expected: toHex(expectedHash), found: toHex(foundHash) }
  if (block.uncles.length === 0) return null
  if (block.uncles.length > MAX_UNCLES) {
    return { expected: `at most ${MAX_UNCLES} uncles`, found: String(block.uncles.length) }
  }
  const family = familyOf(context, block)
  const seen = new Set<string>()
  for (const uncle of block.uncles) {
    const violation = checkUncle(context, block, uncle, family, seen)
    if (violation !== null)
      return { expected: violation.expected, found: `${violation.found} in uncle ${toHex(uncle.hash)}` }
    seen.add(uncle.hashHex)
  }
  return null
}

interface Family {
  readonly ancestors: ReadonlySet<string>
  readonly usedUncles: ReadonlySet<string>
}

function familyOf(context: HeaderContext, block: Block): Family {
  const lowest = Math.max(0, block.number - UNCLE_GENERATIONS)
  const ancestors = context.ancestry.downTo(block.header.parentHash.toString('hex'), lowest)
  return {
    ancestors: new Set(ancestors.map((ancestor) => ancestor.hashHex)),
    usedUncles: new Set(ancestors.flatMap((ancestor) => ancestor.uncleHashes)),
  }
}

function checkUncle(
  context: HeaderContext,
  block: Block,
  uncle: BlockHeader,
  family: Family,
  seen: ReadonlySet<string>,
): Violation | null {
  return (
    checkProofOfWork(context, uncle) ??
    checkForkDetectionData(context, uncle) ??
    checkTimestamp(context, uncle) ??
    checkGasUsedWithinLimit(uncle) ??
    checkGeneration(uncle, block.number) ??
    checkRelation(uncle, family, seen) ??
    checkAgainstParent(context, uncle)
  )
}

function checkGeneration(uncle: BlockHeader, blockNumber: number): Violation | null {
  const oldest = blockNumber - UNCLE_GENERATIONS + 1
  if (uncle.number >= oldest && uncle.number < blockNumber) return null
  return { expected: `a height of ${oldest} to ${blockNumber - 1}`, found: String(uncle.number) }
}

function checkRelation(uncle: BlockHeader, family: Family, seen: ReadonlySet<string>): Violation | null {
  if (seen.has(uncle.hashHex)) return { expected: 'different uncles', found: 'a repetition' }
  if (family.ancestors.has(uncle.hashHex)) return { expected: 'no ancestor', found: 'an ancestor' }
  if (family.usedUncles.has(uncle.hashHex)) return { expected: 'a new uncle', found: 'one of an ancestor' }
  if (family.ancestors.has(uncle.parentHash.toString('hex'))) return null
  return { expected: 'an ancestor as parent', found: toHex(uncle.parentHash) }
}

function checkAgainstParent(context: HeaderContext, uncle: BlockHeader): Violation | null {
  const parent = context.headerByHash(uncle.parentHash)
  if (parent === undefined) return { expected: 'a stored parent', found: toHex(uncle.parentHash) }
  const disabled = context.disabledRules
  return (
    checkMinimumGasPriceRange(uncle, parent) ??
    checkBlockNumber(uncle, parent) ??
    checkLaterThanParent(context, uncle, parent) ??
    (disabled.has('difficulty') ? null : checkDifficulty(context, uncle, parent)) ??
    (disabled.has('gasLimitRange') ? null : checkGasLimitRange(context, uncle, parent))
  )
}
