import { isUndecodable } from '../chain/codec/errors.ts'
import { UndecidedBlockError } from '../chain/validation/errors.ts'
import { ConfigError } from '../config/errors.ts'
import { NodeError, toLimitError, toStoreError } from '../node/errors.ts'
import { CodedError } from '../util/codedError.ts'
import { EXIT_CODES, type ExitCode } from './exitCodes.ts'

/** Reason why a command failed. */
export type CommandErrorCode = 'NotBuilt' | 'Failed'

/** A failure whose message is meant for the user as it is. */
export class CommandError extends CodedError<CommandErrorCode> {
  override readonly name = 'CommandError'
  readonly exitCode: ExitCode

  constructor(
    code: CommandErrorCode,
    message: string,
    exitCode: ExitCode = EXIT_CODES.failed,
    options?: ErrorOptions,
  ) {
    super(code, message, options)
    this.exitCode = exitCode
  }
}

/**
 * Converts what a command threw to a {@link CommandError} where the message is sufficient: damage, a full
 * disk, a node that cannot start or continue, a block that this node cannot validate. Anything else passes
 * through.
 * @param dataDir data directory of the command
 */
export function toFailure(thrown: unknown, dataDir: string): unknown {
  if (thrown instanceof ConfigError || thrown instanceof CommandError) return thrown
  if (thrown instanceof UndecidedBlockError) {
    // Undecodable data may be part of the block as well as of the store.
    const cause = isUndecodable(thrown.cause) ? null : toFailure(thrown.cause, dataDir)
    if (cause instanceof CommandError) return cause
    return new CommandError('Failed', thrown.message, undefined, { cause: thrown })
  }
  const error = thrown instanceof NodeError ? thrown : (toStoreError(thrown, dataDir) ?? toLimitError(thrown))
  if (error === null) return thrown
  return new CommandError('Failed', error.message, exitCodeOf(error), { cause: error })
}

function exitCodeOf(error: NodeError): ExitCode {
  if (error.isDamage) return EXIT_CODES.damaged
  return error.isFormat ? EXIT_CODES.usage : EXIT_CODES.failed
}

/** Message and exit code for what a command threw. Only an unforeseen error shows its stack. */
export function describeFailure(thrown: unknown): { readonly message: string; readonly exitCode: ExitCode } {
  if (thrown instanceof ConfigError) return { message: thrown.message, exitCode: EXIT_CODES.usage }
  if (thrown instanceof CommandError) return { message: thrown.message, exitCode: thrown.exitCode }
  const message = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
  return { message, exitCode: EXIT_CODES.failed }
}
