import { isActive } from '../../config/activations.ts'
import { toHex } from '../../util/bytes.ts'
import { FORK_DETECTION_FIRST_BLOCK } from '../codec/constants.ts'
import type { BlockHeader } from '../codec/header.ts'
import { MAX_EXTRA_DATA_BYTES, MIN_BLOCK_GAS_LIMIT } from '../consensus.ts'
import { calculateDifficulty } from '../difficulty.ts'
import { calculateForkDetectionData, FORK_DETECTION_ANCESTORS } from '../forkDetection.ts'
import { gasLimitBounds } from '../gasLimit.ts'
import { minimumGasPriceBounds } from '../minimumGasPrice.ts'
import type { Violation } from './blockRules.ts'
import type { HeaderContext } from './validationContext.ts'

/** Offset of the time in a Bitcoin header, unsigned 32 bits, little-endian. */
const BITCOIN_TIME_OFFSET = 68
const BITCOIN_HEADER_LENGTH = 80

/** The minimum gas price moves by one percent at most (consensus.md §4.2 rule 3). */
export function checkMinimumGasPriceRange(header: BlockHeader, parent: BlockHeader): Violation | null {
  const { minimumGasPrice } = header.fields
  const { lower, upper } = minimumGasPriceBounds(parent.fields.minimumGasPrice ?? 0n)
  if (minimumGasPrice !== null && minimumGasPrice >= lower && minimumGasPrice <= upper) return null
  return { expected: `${lower} to ${upper} wei`, found: String(minimumGasPrice ?? 'nothing') }
}

/** The height follows the parent's (consensus.md §4.2 rule 4). */
export function checkBlockNumber(header: BlockHeader, parent: BlockHeader): Violation | null {
  const expected = parent.number + 1
  return header.number === expected ? null : { expected: String(expected), found: String(header.number) }
}

/** The difficulty is the one that follows from the parent (consensus.md §4.2 rule 5, §4.4). */
export function checkDifficulty(
  context: HeaderContext,
  header: BlockHeader,
  parent: BlockHeader,
): Violation | null {
  const expected = calculateDifficulty(context.spec, header.fields, parent)
  const found = header.difficulty
  return found === expected ? null : { expected: expected.toString(), found: found.toString() }
}

/** The gas limit moves by one part in 1024 at most (consensus.md §4.2 rule 6). */
export function checkGasLimitRange(
  { spec }: Pick<HeaderContext, 'spec'>,
  header: BlockHeader,
  parent: BlockHeader,
): Violation | null {
  if (spec.jumpsGasLimit === true) return null
  const { lower, upper } = gasLimitBounds(parent.gasLimit)
  const found = header.gasLimit
  return found >= lower && found <= upper
    ? null
    : { expected: `${lower} to ${upper}`, found: found.toString() }
}

/** The gas limit is at least the network's minimum (consensus.md §4.3 rule 8). */
export function checkMinimumGasLimit(header: BlockHeader): Violation | null {
  const found = header.gasLimit
  if (found >= MIN_BLOCK_GAS_LIMIT) return null
  return { expected: `${MIN_BLOCK_GAS_LIMIT} or more`, found: found.toString() }
}

/** The extra data is short enough (consensus.md §4.3 rule 9). */
export function checkExtraData(header: BlockHeader): Violation | null {
  const { length } = header.fields.extraData
  if (length <= MAX_EXTRA_DATA_BYTES) return null
  return { expected: `${MAX_EXTRA_DATA_BYTES} bytes or fewer`, found: String(length) }
}

/** Gas used is within the gas limit; checked for uncles only (consensus.md §4.3). */
export function checkGasUsedWithinLimit(header: BlockHeader): Violation | null {
  const { gasUsed } = header.fields
  // The reference compares 64 signed bits.
  const limit = BigInt.asIntN(64, header.gasLimit)
  return gasUsed <= limit ? null : { expected: `gas used of ${limit} or less`, found: gasUsed.toString() }
}

/**
 * The block is not too far in the future and close to its Bitcoin block (consensus.md §4.3 rule 7, §3.4; RSKIP179,
 * RSKIP297).
 */
export function checkTimestamp(
  context: Pick<HeaderContext, 'spec' | 'now'>,
  header: BlockHeader,
): Violation | null {
  const { timestamps } = context.spec
  if (timestamps.futureLimitSeconds === null) return null
  const latest = context.now() + timestamps.futureLimitSeconds
  if (header.timestamp > latest)
    return { expected: `${latest} s or earlier`, found: String(header.timestamp) }
  if (!isActive(context.spec, 'rskip179', header.number)) return null
  const bitcoinHeader = header.fields.bitcoinMergedMiningHeader
  if (bitcoinHeader.length < BITCOIN_HEADER_LENGTH) {
    return {
      expected: `a Bitcoin header of ${BITCOIN_HEADER_LENGTH} bytes`,
      found: String(bitcoinHeader.length),
    }
  }
  const limit = isActive(context.spec, 'rskip297', header.number)
    ? timestamps.bitcoinDistanceSecondsRskip297
    : timestamps.bitcoinDistanceSeconds
  const distance = Math.abs(bitcoinHeader.readUInt32LE(BITCOIN_TIME_OFFSET) - header.timestamp)
  return distance < limit
    ? null
    : { expected: `less than ${limit} s from Bitcoin's time`, found: String(distance) }
}

/** An uncle is later than its parent; not checked where timestamps are not checked (consensus.md §4.3). */
export function checkLaterThanParent(
  context: HeaderContext,
  header: BlockHeader,
  parent: BlockHeader,
): Violation | null {
  if (context.spec.timestamps.futureLimitSeconds === null || header.timestamp > parent.timestamp) return null
  return { expected: `later than ${parent.timestamp}`, found: String(header.timestamp) }
}

/** The fork detection data is that of the branch (consensus.md §3.5, RSKIP110). */
export function checkForkDetectionData(context: HeaderContext, header: BlockHeader): Violation | null {
  // At the first block that carries data the reference does not compare it; below, decoding reads none.
  if (!isActive(context.spec, 'rskip110', header.number) || header.number <= FORK_DETECTION_FIRST_BLOCK)
    return null
  const ancestors = context.ancestry.walk(header.parentHash.toString('hex'), FORK_DETECTION_ANCESTORS)
  if (ancestors.length < FORK_DETECTION_ANCESTORS) {
    return { expected: `${FORK_DETECTION_ANCESTORS} known ancestors`, found: String(ancestors.length) }
  }
  const expected = calculateForkDetectionData(ancestors)
  if (expected === null)
    return { expected: 'Bitcoin headers at the checkpoints', found: 'a block without one' }
  const found = readData(header)
  if (typeof found === 'string') return { expected: toHex(expected), found }
  return found.equals(expected) ? null : { expected: toHex(expected), found: toHex(found) }
}

function readData(header: BlockHeader): Buffer | string {
  try {
    return header.forkDetectionData()
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
