import { CodedError } from '../util/codedError.ts'

/** Why no block could be made. */
export type MiningErrorCode =
  /** The difficulty is too high for a search in this process. */
  | 'DIFFICULTY'
  /** The time asked for is not after the parent's. */
  | 'TIMESTAMP'
  /** An ancestor lacks the Bitcoin header that fork detection data is made of. */
  | 'FORK_DETECTION'
  /** The extra data is longer than a header may hold. */
  | 'EXTRA_DATA'
  /** The chain did not take the block: a fault of this node. */
  | 'REFUSED'
  /** The node stops, or nobody waits any more: the rest of the blocks that were asked for is not made. */
  | 'STOPPED'

/** A block that could not be made. */
export class MiningError extends CodedError<MiningErrorCode> {
  override readonly name = 'MiningError'
}
