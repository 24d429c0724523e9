import { proofOfWorkFault } from '../../native/mergedMining.ts'
import { bigIntToBytes } from '../../util/bytes.ts'
import type { BlockHeader } from '../codec/header.ts'
import type { ValidationContext } from './context.ts'
import type { Violation } from './rules.ts'

/** What a proof of work is checked with. */
export type WorkContext = Pick<ValidationContext, 'spec' | 'nativeSpec' | 'disabledRules'>

/** The header proves work by merged mining with Bitcoin (consensus.md §4.3 rule 5, §3.2). */
export function checkProofOfWork(context: WorkContext, header: BlockHeader): Violation | null {
  if (context.disabledRules.has('proofOfWork')) return null
  const { fields } = header
  const hash = hashOrNull(header)
  const fault = proofOfWorkFault(context.nativeSpec, {
    ...(hash === null ? {} : { hashForMergedMining: hash }),
    difficulty: bigIntToBytes(header.difficulty),
    number: header.number,
    ...present('bitcoinHeader', fields.bitcoinMergedMiningHeader),
    // The three fields come together: an empty proof beside others proves a block of one transaction.
    ...(header.hasMiningFields ? { merkleProof: fields.bitcoinMergedMiningMerkleProof } : {}),
    ...present('coinbase', fields.bitcoinMergedMiningCoinbaseTransaction),
    fallbackMiningDifficulty: bigIntToBytes(context.spec.difficulty.fallbackMining),
  })
  return fault === null ? null : { expected: 'a proof of merged mining', found: fault }
}

function present<K extends string>(key: K, bytes: Buffer): Partial<Record<K, Buffer>> {
  return bytes.length === 0 ? {} : ({ [key]: bytes } as Record<K, Buffer>)
}

/** The hash, or null when the header has none: the core then names that as the fault, in its turn. */
function hashOrNull(header: BlockHeader): Buffer | null {
  try {
    return header.hashForMergedMining()
  } catch {
    return null
  }
}
