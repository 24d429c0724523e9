import type { OptionTable, OptionValue } from '../config/option.ts'
import type { Config, OptionKey } from '../config/schema.ts'
import type { ExitCode } from './exitCodes.ts'

/** Where a command writes: results to stdout, progress and messages to stderr. */
export type CommandStreams = {
  readonly stdout: NodeJS.WritableStream
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean }
}

/** What a running command has. */
export type CommandContext<E extends OptionTable> = CommandStreams & {
  readonly config: Config
  /** The configuration as its sources have it now. @throws ConfigError */
  readonly reloadConfig: () => Config
  /** Arguments in the order given. */
  readonly files: readonly string[]
  /** Options of this command alone. */
  readonly extra: { readonly [K in keyof E]: OptionValue<E[K]> }
}

/** One argument of a command. */
export type CommandArgument = {
  /** `<ID>`, or `[ID]` where it may be left out. */
  readonly placeholder: `<${string}>` | `[${string}]`
  readonly doc: string
}

/** One command of the program. */
export type CommandDefinition<E extends OptionTable = OptionTable> = {
  /** Words after `rhizome`, e.g. `config show`. */
  readonly name: string
  /** One line for the list of commands, without a full stop. */
  readonly summary: string
  /** More for the command's own help. */
  readonly details?: string
  /** Whether files are named: none, any number, or at least one. */
  readonly files: 'none' | 'any' | 'some'
  /** An argument in place of files, which then stands in `files`. */
  readonly argument?: CommandArgument
  /** Options of the schema that it reads. */
  readonly options: readonly OptionKey[]
  /** Options of this command alone. */
  readonly extra: E
  /** Does the work; what it throws becomes a message and an exit code. */
  readonly run: (context: CommandContext<E>) => Promise<ExitCode>
}

/** A command whose own options give `run` its types. */
export function defineCommand<const E extends OptionTable>(
  definition: CommandDefinition<E>,
): CommandDefinition<E> {
  return definition
}
