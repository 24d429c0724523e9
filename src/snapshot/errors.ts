import { CodedError } from '../util/codedError.ts'

/** Reason why a snapshot cannot be created, read or restored. */
export type SnapshotErrorCode =
  /** The file, folder or server cannot be read or written. */
  | 'SNAPSHOT_SOURCE'
  /** The manifest is malformed, or of a version that this program does not read. */
  | 'SNAPSHOT_MANIFEST'
  /** It is of another network or chain. */
  | 'SNAPSHOT_NETWORK'
  /** The required signatures are missing. */
  | 'SNAPSHOT_SIGNATURE'
  /** A chunk is missing, truncated, or differs from the manifest. */
  | 'SNAPSHOT_CHUNK'
  /** The contents of the chunks are inconsistent, or not those of the block in the manifest. */
  | 'SNAPSHOT_CONTENT'
  /** The data directory cannot receive it. */
  | 'SNAPSHOT_TARGET'
  /** The chain cannot be copied. */
  | 'SNAPSHOT_CHAIN'
  /** Interrupted; the same command resumes. */
  | 'SNAPSHOT_INTERRUPTED'

/** A snapshot that cannot be created, read or restored; the message is meant for the user. */
export class SnapshotError extends CodedError<SnapshotErrorCode> {
  override readonly name = 'SnapshotError'
}

/** Message of anything thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** A value of a file in error messages: only its kind if it has members, which may be nested deeply. */
export function shownValue(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  return JSON.stringify(value)?.slice(0, 80) ?? 'nothing'
}
