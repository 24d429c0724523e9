import { CodedError } from '../../util/codedError.ts'

/** Reason why the access store cannot be used. */
export type AccessErrorCode =
  /** Written by another version of the format. */
  | 'ACCESS_FORMAT'
  /** Truncated, overwritten, or with an unreadable record. */
  | 'ACCESS_DAMAGED'
  /** No key of that id. */
  | 'ACCESS_UNKNOWN_KEY'
  /** A key with that id or secret exists already. */
  | 'ACCESS_TAKEN'
  /** The key comes from a file and can only be changed there. */
  | 'ACCESS_FROM_FILE'
  /** The key is one of the fleet and can only be changed there. */
  | 'ACCESS_FROM_FLEET'
  /** The store is one of a fleet as it was before, whose keys and usage have to be brought over. */
  | 'ACCESS_OLD_FLEET'

/** An access store that cannot be used, or a change that it rejects. The message says what to do. */
export class AccessError extends CodedError<AccessErrorCode> {
  override readonly name = 'AccessError'
}
