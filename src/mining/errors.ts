import { CodedError } from '../util/codedError.ts'

/** Reason why a block could not be produced. */
export type MiningErrorCode =
  /** The difficulty is too high for a search in this process. */
  | 'DIFFICULTY'
  /** The requested time is not after the parent's. */
  | 'TIMESTAMP'
  /** An ancestor lacks the Bitcoin header that fork detection data needs. */
  | 'FORK_DETECTION'
  /** The extra data exceeds the limit of a header. */
  | 'EXTRA_DATA'
  /** The chain rejected the block: a fault of this node. */
  | 'REFUSED'
  /** The node stops, or the request was abandoned: the remaining blocks are not mined. */
  | 'STOPPED'

/** A block that could not be produced. */
export class MiningError extends CodedError<MiningErrorCode> {
  override readonly name = 'MiningError'
}
