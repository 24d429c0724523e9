import { CodedError } from '../util/codedError.ts'

/** Reason why the chain store cannot be used. */
export type StorageErrorCode =
  /** Of a format that is neither read nor converted. */
  | 'STORAGE_FORMAT'
  /** Of a format that has to be converted first. */
  | 'STORAGE_OLDER'
  /** Of a format of a newer build. */
  | 'STORAGE_NEWER'
  /** Holds another network's chain. */
  | 'STORAGE_NETWORK'
  /** Another process writes it. */
  | 'STORAGE_LOCKED'
  /** A snapshot is being restored into it. */
  | 'STORAGE_UNFINISHED'
  /** Needs history that a node which began with a snapshot does not keep. */
  | 'STORAGE_NOT_KEPT'
  /** There is nothing where a chain was to be read. */
  | 'STORAGE_ABSENT'
  /** Something that must be there is not, or is not what was stored. */
  | 'STORAGE_CORRUPT'
  /** A journal is not what was written. */
  | 'STORAGE_JOURNAL'
  /** It takes no writes at present: the disk is full, or fails. What is stored can be read. */
  | 'STORAGE_UNWRITABLE'

/** A chain store that cannot be used. */
export class StorageError extends CodedError<StorageErrorCode> {
  override readonly name = 'StorageError'
}
