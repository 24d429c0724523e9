import { CodedError } from '../util/codedError.ts'

/** Why a rehearsal cannot begin or go on. */
export type RehearsalErrorCode =
  /** The node is not a development node of regtest, or its Bridge has been used. */
  | 'UNSUITABLE'
  /** The Bridge, or the simulated Bitcoin network, did not do what the step needs. */
  | 'REFUSED'

/** A rehearsal that cannot begin or go on. The message is for people. */
export class RehearsalError extends CodedError<RehearsalErrorCode> {
  override readonly name = 'RehearsalError'
}
