import { ANY_LOG, addressTerm, type LogTerm, topicTerm } from '../../../src/chain/tables/logTerm.ts'
import { LogCursor } from './logCursor.ts'

/** Everything that the index has to know a block by. @param receipts as stored */
export function logTermsOf(receipts: Buffer): Set<LogTerm> {
  const terms = new Set<LogTerm>()
  const log = new LogCursor(receipts)
  while (log.next()) {
    terms.add(addressTerm(receipts, log.addressStart, log.addressEnd))
    for (let position = 0; position < log.topicCount; position += 1) {
      terms.add(topicTerm(position, receipts, log.topicStarts[position] ?? 0, log.topicEnds[position] ?? 0))
    }
  }
  if (terms.size > 0) terms.add(ANY_LOG)
  return terms
}
