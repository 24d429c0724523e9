import { CodedError } from '../util/codedError.ts'

/** Why a snapshot cannot be made, read or restored. */
export type SnapshotErrorCode =
  /** The file, folder or server cannot be read or written. */
  | 'SNAPSHOT_SOURCE'
  /** The manifest is malformed, or of a version that this program does not read. */
  | 'SNAPSHOT_MANIFEST'
  /** It is of another network or chain. */
  | 'SNAPSHOT_NETWORK'
  /** Not signed as it has to be. */
  | 'SNAPSHOT_SIGNATURE'
  /** A chunk is missing, cut off, or not what the manifest says. */
  | 'SNAPSHOT_CHUNK'
  /** What is in the chunks does not fit together, or not the block that the manifest names. */
  | 'SNAPSHOT_CONTENT'
  /** The data directory cannot take it. */
  | 'SNAPSHOT_TARGET'
  /** The chain cannot be copied. */
  | 'SNAPSHOT_CHAIN'
  /** Stopped from outside; the same command goes on. */
  | 'SNAPSHOT_INTERRUPTED'

/** A snapshot that cannot be made, read or restored; the message is for the user as it is. */
export class SnapshotError extends CodedError<SnapshotErrorCode> {
  override readonly name = 'SnapshotError'
}

/** Text of anything thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** A value of a file as messages show it: only its kind where it has members, which may nest without end. */
export function shownValue(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  return JSON.stringify(value)?.slice(0, 80) ?? 'nothing'
}
