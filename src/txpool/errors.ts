/** Why the pool refuses a transaction. */
export type PoolRefusalCode =
  | 'KNOWN_PENDING'
  | 'KNOWN_QUEUED'
  | 'SENDER_MISSING'
  | 'INIT_CODE_SIZE'
  | 'SIZE'
  | 'REMASC'
  | 'GAS_LIMIT'
  | 'NONCE_LENGTH'
  | 'NONCE_ENCODING'
  | 'NONCE_TOO_LOW'
  | 'NONCE_TOO_HIGH'
  | 'INSUFFICIENT_FUNDS'
  | 'GAS_PRICE_TOO_LOW'
  | 'BASIC_COST'
  | 'GAS_PRICE_CAP'
  | 'BUMP'
  | 'QUOTA'
  | 'PENDING_FUNDS'

/** A refusal; its message is the text that the reference gives (consensus.md §9.1), which clients match. */
export class PoolRefusal extends Error {
  override readonly name = 'PoolRefusal'
  readonly code: PoolRefusalCode

  constructor(code: PoolRefusalCode, message: string) {
    super(message)
    this.code = code
  }
}

/** Refusal of a gas price below the head's minimum, to which senders' own texts add the figures. */
export const GAS_PRICE_TOO_LOW = "transaction's gas price lower than block's minimum"
