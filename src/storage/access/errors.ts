import { CodedError } from '../../util/codedError.ts'

/** Why the access store cannot be used. */
export type AccessErrorCode =
  /** Written by another version of the format. */
  | 'ACCESS_FORMAT'
  /** Cut short, overwritten, or with a record that cannot be read. */
  | 'ACCESS_DAMAGED'
  /** No key of that id. */
  | 'ACCESS_UNKNOWN_KEY'
  /** A key of that id, or with that secret, is there already. */
  | 'ACCESS_TAKEN'
  /** The key comes from a file: it is changed there. */
  | 'ACCESS_FROM_FILE'

/** An access store that cannot be used, or a change that it does not take. The message says what to do. */
export class AccessError extends CodedError<AccessErrorCode> {
  override readonly name = 'AccessError'
}
