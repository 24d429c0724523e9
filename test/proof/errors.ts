/** Why a proof proves nothing. */
export type ProofFault = 'Malformed' | 'MissingNode' | 'SurplusNode' | 'WrongNode' | 'WrongValue'

/** A proof that does not hold. */
export class ProofError extends Error {
  override readonly name = 'ProofError'
  readonly code: ProofFault

  constructor(code: ProofFault, message: string) {
    super(message)
    this.code = code
  }
}
