import type { OptionTable, OptionValue } from '../config/option.ts'
import type { Config, OptionKey } from '../config/schema.ts'
import type { TextOutput } from '../observe/logOutput.ts'
import type { ExitCode } from './exitCodes.ts'

/** Output of a command: results to stdout, progress and messages to stderr. */
export type CommandStreams = {
  readonly stdout: NodeJS.WritableStream
  readonly stderr: TextOutput
}

/** Context of a running command. */
export type CommandContext<E extends OptionTable> = CommandStreams & {
  readonly config: Config
  /** Rereads the configuration from its sources. */
  readonly reloadConfig: () => Config
  /** Arguments in the order given. */
  readonly files: readonly string[]
  /** Options of this command alone. */
  readonly extra: { readonly [K in keyof E]: OptionValue<E[K]> }
}

/** One argument of a command. */
export type CommandArgument = {
  /** `<ID>`, or `[ID]` if it is optional. */
  readonly placeholder: `<${string}>` | `[${string}]`
  readonly doc: string
}

/** One command of the program. */
export type CommandDefinition<E extends OptionTable = OptionTable> = {
  /** Words after `rhizome`, e.g. `config show`. */
  readonly name: string
  /** One line for the list of commands, without a full stop. */
  readonly summary: string
  /** Further text of the command's help. */
  readonly details?: string
  /** Number of file arguments: none, any number, or at least one. */
  readonly files: 'none' | 'any' | 'some'
  /** An argument in place of files, which is then in `files`. */
  readonly argument?: CommandArgument
  /** True when it is done also where nobody gets what it prints. */
  readonly printsNotices?: true
  /** Options of the schema that it reads. */
  readonly options: readonly OptionKey[]
  /** Options of this command alone. */
  readonly extra: E
  /**
   * Runs the command; an exception becomes a message and an exit code. As a method, so that commands with options of
   * their own are commands.
   */
  run(context: CommandContext<E>): Promise<ExitCode>
}

/** Types `run` by the command's own options. */
export function defineCommand<const E extends OptionTable>(
  definition: CommandDefinition<E>,
): CommandDefinition<E> {
  return definition
}
