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
  | 'NeverGiven'
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
  'NeverGiven',
  'NotFetched',
  'Panic',
])

/** A failure of the native core, with a code from a closed set and the core's own message. */
export class NativeError extends CodedError<NativeErrorCode> {
  override readonly name = 'NativeError'
}

/** True for an execution that ended at something that the network of a fork never gives: no later try can read it. */
export function isNeverGiven(error: unknown): error is NativeError {
  return error instanceof NativeError && error.code === 'NeverGiven'
}

/** True for a failure of the network that the chain is a fork of, whose words are for whoever asked. */
export function isOfUpstream(error: unknown): error is NativeError {
  return isNeverGiven(error) || (error instanceof NativeError && error.code === 'Upstream')
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
