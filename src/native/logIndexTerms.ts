import { addon } from './addon.ts'
import { native } from './errors.ts'

/**
 * What the index of logs has of a block: terms of 8 bytes each.
 * @param receipts RLP list of its receipts
 * @throws NativeError `InvalidArgument` for other bytes
 */
export function logTerms(receipts: Uint8Array): Buffer {
  return native(() => addon.logTerms(receipts))
}
