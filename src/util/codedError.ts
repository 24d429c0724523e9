/**
 * An error that callers distinguish by a code. Each part of the node extends it with its name and the union
 * of its codes.
 */
export abstract class CodedError<Code extends string> extends Error {
  readonly code: Code

  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
