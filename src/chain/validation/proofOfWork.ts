import { proofOfWorkFault, proofOfWorkFaultsAside } from '../../native/mergedMining.ts'
import type { ProofOfWork } from '../../native/types.ts'
import { MAX_WORD, min } from '../../util/bigint.ts'
import { bigIntToBytes } from '../../util/bytes.ts'
import type { BlockHeader } from '../codec/header.ts'
import type { Violation } from './blockRules.ts'
import type { ValidationContext } from './validationContext.ts'

/** Context of a check of proof of work. */
export type WorkContext = Pick<ValidationContext, 'spec' | 'nativeSpec' | 'disabledRules'>

/** The header proves work by merged mining with Bitcoin (consensus.md §4.3 rule 5, §3.2). */
export function checkProofOfWork(context: WorkContext, header: BlockHeader): Violation | null {
  if (context.disabledRules.has('proofOfWork')) return null
  return violationOf(proofOfWorkFault(context.nativeSpec, proofOf(context, header)))
}

/** As {@link checkProofOfWork} for many headers, on another thread; several calls run in parallel. */
export async function checkProofsOfWork(
  context: WorkContext,
  headers: readonly BlockHeader[],
): Promise<(Violation | null)[]> {
  if (context.disabledRules.has('proofOfWork')) return headers.map(() => null)
  const proofs = headers.map((header) => proofOf(context, header))
  return (await proofOfWorkFaultsAside(context.nativeSpec, proofs)).map(violationOf)
}

function violationOf(fault: string | null): Violation | null {
  return fault === null ? null : { expected: 'a proof of merged mining', found: fault }
}

function proofOf(context: WorkContext, header: BlockHeader): ProofOfWork {
  const { fields } = header
  const hash = hashOrNull(header)
  return {
    ...(hash === null ? {} : { hashForMergedMining: hash }),
    // The target of a larger one is zero: no work proves it, and none the largest that fits.
    difficulty: bigIntToBytes(min(header.difficulty, MAX_WORD)),
    number: header.number,
    ...present('bitcoinHeader', fields.bitcoinMergedMiningHeader),
    // The three fields come together: an empty proof beside others proves a block of one transaction.
    ...(header.hasMiningFields ? { merkleProof: fields.bitcoinMergedMiningMerkleProof } : {}),
    ...present('coinbase', fields.bitcoinMergedMiningCoinbaseTransaction),
    fallbackMiningDifficulty: bigIntToBytes(context.spec.difficulty.fallbackMining),
  }
}

function present<K extends string>(key: K, bytes: Buffer): Partial<Record<K, Buffer>> {
  return bytes.length === 0 ? {} : ({ [key]: bytes } as Record<K, Buffer>)
}

/** The hash, or null when the header has none, which the core then reports as the fault. */
function hashOrNull(header: BlockHeader): Buffer | null {
  try {
    return header.hashForMergedMining()
  } catch {
    return null
  }
}
