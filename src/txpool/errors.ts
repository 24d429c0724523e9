/** Reason why the pool rejects a transaction. */
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

/** The compared values by name: wei, gas, bytes or nonces. */
export type RefusalStats = Readonly<Record<string, bigint>>

/**
 * A rejection. Its message is that of the reference (consensus.md §9.1) to the letter, because clients match
 * it; the compared values, which the reference does not include, are in `stats`.
 */
export class PoolRefusal extends Error {
  override readonly name = 'PoolRefusal'
  readonly code: PoolRefusalCode
  readonly stats: RefusalStats

  constructor(code: PoolRefusalCode, message: string, stats: RefusalStats = {}) {
    super(message)
    this.code = code
    this.stats = stats
  }
}
