import { ConfigError } from '../config/errors.ts'
import type { NodeError } from '../node/errors.ts'
import { StorageError } from '../storage/errors.ts'
import { toUnwritable } from '../storage/unwritable.ts'
import { EXIT_CODES, type ExitCode } from './exitCodes.ts'

/** Why a command could not do its work. */
export type CommandErrorCode = 'NotBuilt' | 'Failed'

/** A failure whose message is meant for the user as it is. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly code: CommandErrorCode
  readonly exitCode: ExitCode

  constructor(
    code: CommandErrorCode,
    message: string,
    exitCode: ExitCode = EXIT_CODES.failed,
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.code = code
    this.exitCode = exitCode
  }
}

/** A node that cannot start or go on, as a failure of the command that would run it. */
export function toCommandError(error: NodeError): CommandError {
  const exitCode = error.isDamage ? EXIT_CODES.damaged : EXIT_CODES.failed
  return new CommandError('Failed', error.message, exitCode, { cause: error })
}

/** Message and exit code for what a command threw. Only an unforeseen error shows its stack. */
export function describeFailure(thrown: unknown): { readonly message: string; readonly exitCode: ExitCode } {
  if (thrown instanceof ConfigError) return { message: thrown.message, exitCode: EXIT_CODES.usage }
  if (thrown instanceof CommandError) return { message: thrown.message, exitCode: thrown.exitCode }
  const unwritable = thrown instanceof StorageError ? thrown : toUnwritable(thrown)
  if (unwritable !== null) {
    return { message: `${unwritable.message}; what is stored is whole`, exitCode: EXIT_CODES.failed }
  }
  const message = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
  return { message, exitCode: EXIT_CODES.failed }
}
