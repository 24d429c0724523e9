import { logTerms } from '../../native/logIndexTerms.ts'
import { type LogTerm, TERM_LENGTH } from '../tables/logTerm.ts'

/**
 * Everything that the index has to know a block by, each once.
 * @param receipts as stored
 * @throws NativeError `InvalidArgument` for other bytes
 */
export function logTermsOf(receipts: Buffer): LogTerm[] {
  const text = logTerms(receipts).toString('latin1')
  return Array.from({ length: text.length / TERM_LENGTH }, (_, index) =>
    text.slice(index * TERM_LENGTH, (index + 1) * TERM_LENGTH),
  )
}
