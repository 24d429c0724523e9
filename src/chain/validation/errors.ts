import type { BlockRule, Violation } from './rules.ts'

/** An {@link InvalidBlockError} as plain data, for messages between threads. */
export interface InvalidBlockFacts extends Violation {
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

  constructor(facts: Omit<InvalidBlockFacts, 'code'>, options?: ErrorOptions) {
    super(
      `block ${facts.number} ${facts.hash} breaks ${facts.rule}: expected ${facts.expected}, found ${facts.found}`,
      options,
    )
    this.rule = facts.rule
    this.expected = facts.expected
    this.found = facts.found
    this.number = facts.number
    this.hash = facts.hash
  }

  toObject(): InvalidBlockFacts {
    const { code, rule, expected, found, number, hash } = this
    return { code, rule, expected, found, number, hash }
  }
}

/** A block that could not be judged: the core failed, or the block needs what this node does not have. */
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
