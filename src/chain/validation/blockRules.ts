/**
 * Every rule a block can break, in the order in which they are applied (consensus.md §4.2, §4.3, §4.5).
 */
export const BLOCK_RULES = [
  // Against the parent
  'transactionFields',
  'transactionNonces',
  'minimumGasPriceRange',
  'blockNumber',
  'difficulty',
  'gasLimitRange',
  // Of the block
  'transactionGasPrice',
  'transactionGasPriceCap',
  'uncles',
  'transactionsRoot',
  'proofOfWork',
  'remascTransaction',
  'timestamp',
  'minimumGasLimit',
  'extraData',
  'forkDetectionData',
  'sublistEdges',
  // After execution
  'execution',
  'stateRoot',
  'receiptsRoot',
  'logsBloom',
  'gasUsed',
  'paidFees',
  // Before all others
  'encoding',
] as const

/** Name of a rule. */
export type BlockRule = (typeof BLOCK_RULES)[number]

/**
 * Rules that the reference's scenario tests do not apply and that chains recorded from them break, and those that a fork
 * of a network cannot keep; nothing else may be switched off. A rule disabled for blocks is disabled for their uncles.
 */
export type OptionalRule =
  | 'proofOfWork'
  | 'remascTransaction'
  | 'difficulty'
  | 'gasLimitRange'
  | 'minimumGasLimit'
  | 'forkDetectionData'

/** Reason why a block breaks a rule. */
export interface Violation {
  readonly expected: string
  readonly found: string
}
