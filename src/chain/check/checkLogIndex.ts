import { NativeError } from '../../native/errors.ts'
import type { TableReader } from '../../storage/chainEnvironment.ts'
import { logTermsOf } from '../logs/logTerms.ts'
import { blockKey } from '../tables/blockKey.ts'
import { findLogHeights } from '../tables/logIndex.ts'
import { ANY_LOG, type LogTerm } from '../tables/logTerm.ts'

/**
 * Terms of a canonical block that the index of logs lacks, or has without cause. Unreadable receipts are
 * reported elsewhere.
 * @returns the number of terms that the index must have for it, and the problems
 */
export function checkLogIndex(
  tables: TableReader,
  height: number,
  hash: Buffer,
): { readonly terms: number; readonly problems: string[] } {
  const receipts = tables.get('receipts', blockKey({ number: height, hash }))
  const terms = receipts === undefined ? null : readTerms(receipts)
  return terms === null
    ? { terms: 0, problems: [] }
    : { terms: terms.length, problems: compareTerms(tables, height, terms) }
}

function compareTerms(tables: TableReader, height: number, terms: readonly LogTerm[]): string[] {
  const isIndexed = (term: LogTerm) => [...findLogHeights(tables, [[term]], height, height)].length > 0
  const missing = terms.filter((term) => !isIndexed(term)).length
  if (missing > 0) return [`${missing} of ${terms.length} terms of its logs are not in the index`]
  return terms.length === 0 && isIndexed(ANY_LOG) ? ['the index has logs of it, it has none'] : []
}

function readTerms(receipts: Buffer): LogTerm[] | null {
  try {
    return logTermsOf(receipts)
  } catch (error) {
    if (error instanceof NativeError && error.code === 'InvalidArgument') return null
    throw error
  }
}
