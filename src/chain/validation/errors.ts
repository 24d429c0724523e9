import type { BlockRule, Violation } from './blockRules.ts'

/** An {@link InvalidBlockError} as plain data, for messages between threads. */
export interface InvalidBlockMetadata extends Violation {
  readonly code: 'INVALID_BLOCK'
  readonly rule: BlockRule
  readonly number: number
  /** 64 hex digits with `0x`. */
  readonly hash: string
}

/** A block that breaks a rule of the network. */
export class InvalidBlockError extends Error {
  readonly code = 'INVALID_BLOCK'
  readonly rule: BlockRule
  readonly expected: string
  readonly found: string
  readonly number: number
  readonly hash: string
  override readonly name = 'InvalidBlockError'

  constructor(metadata: Omit<InvalidBlockMetadata, 'code'>, options?: ErrorOptions) {
    super(
      `block ${metadata.number} ${metadata.hash} breaks ${metadata.rule}: expected ${metadata.expected}, found ${metadata.found}`,
      options,
    )
    this.rule = metadata.rule
    this.expected = metadata.expected
    this.found = metadata.found
    this.number = metadata.number
    this.hash = metadata.hash
  }

  toObject(): InvalidBlockMetadata {
    const { code, rule, expected, found, number, hash } = this
    return { code, rule, expected, found, number, hash }
  }
}

/** A block that could not be validated: the core failed, or the node lacks what validation needs. */
export class UndecidedBlockError extends Error {
  readonly code = 'UNDECIDED_BLOCK'
  readonly number: number
  /** 64 hex digits with `0x`. */
  readonly hash: string
  override readonly name = 'UndecidedBlockError'

  constructor(block: { readonly number: number; readonly hashHex: string }, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    super(`block ${block.number} 0x${block.hashHex} cannot be judged: ${reason}`, { cause })
    this.number = block.number
    this.hash = `0x${block.hashHex}`
  }
}
