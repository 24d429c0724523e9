/** Why a rehearsal cannot begin or go on. */
export type RehearsalErrorCode =
  /** The node is not a development node of regtest, or its Bridge has been used. */
  | 'UNSUITABLE'
  /** The Bridge, or the simulated Bitcoin network, did not do what the step needs. */
  | 'REFUSED'

/** A rehearsal that cannot begin or go on. The message is for people. */
export class RehearsalError extends Error {
  override readonly name = 'RehearsalError'
  readonly code: RehearsalErrorCode

  constructor(code: RehearsalErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
