import { CodedError } from '../util/codedError.ts'

/** Reason why a rehearsal cannot start or continue. */
export type RehearsalErrorCode =
  /** The node is not a development node of regtest, or its Bridge has been used. */
  | 'UNSUITABLE'
  /** The Bridge, or the simulated Bitcoin network, behaved differently from what the step requires. */
  | 'REFUSED'

/** A rehearsal that cannot start or continue. The message is meant for the user. */
export class RehearsalError extends CodedError<RehearsalErrorCode> {
  override readonly name = 'RehearsalError'
}
