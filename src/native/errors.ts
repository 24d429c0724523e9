import { CodedError } from '../util/codedError.ts'

/** Reason why the native core refused or failed: the codes that `native/crates/binding/src/errors.rs` sets. */
export type NativeErrorCode =
  | 'InvalidArgument'
  | 'MissingState'
  | 'CorruptState'
  | 'Store'
  | 'StoreFormat'
  | 'InvalidBlock'
  | 'Interrupted'
  | 'OutputLimit'
  | 'Upstream'
  | 'NotFetched'
  | 'Panic'

const CODES: ReadonlySet<string> = new Set<NativeErrorCode>([
  'InvalidArgument',
  'MissingState',
  'CorruptState',
  'Store',
  'StoreFormat',
  'InvalidBlock',
  'Interrupted',
  'OutputLimit',
  'Upstream',
  'NotFetched',
  'Panic',
])

/** A failure of the native core, with a code from a closed set and the core's own message. */
export class NativeError extends CodedError<NativeErrorCode> {
  override readonly name = 'NativeError'
}

/** Words with which the thread of a fork says that its network never gives a cell; the core passes them on. */
export const CELL_NEVER_GIVEN = 'the upstream does not give rsk_getStorageBytesAt'

/** True for an execution that ended at a cell that no later try can read. */
export function isNeverGiven(error: unknown): boolean {
  return error instanceof NativeError && error.code === 'Upstream' && error.message.includes(CELL_NEVER_GIVEN)
}

/** Turns what the addon throws into a {@link NativeError}; anything else passes through. */
export function toNativeError(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return thrown
  const code = (thrown as Error & { code?: unknown }).code
  if (typeof code === 'string' && CODES.has(code)) {
    return new NativeError(code as NativeErrorCode, thrown.message, { cause: thrown })
  }
  return code === 'GenericFailure' ? new NativeError('Panic', thrown.message, { cause: thrown }) : thrown
}

/** Runs a call into the addon and throws its failures as {@link NativeError}. */
export function native<T>(call: () => T): T {
  try {
    return call()
  } catch (thrown) {
    throw toNativeError(thrown)
  }
}
