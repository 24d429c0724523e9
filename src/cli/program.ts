import { Command } from 'commander'
import { loadConfig } from '../config/load.ts'
import type { OptionDefinition, OptionTable } from '../config/option.ts'
import { nodeSchema, renamedOptions } from '../config/optionNames.ts'
import {
  camelToFlag,
  flagOf,
  GONE_OPTIONS,
  OPTION_KEYS,
  OPTIONS,
  type PartialConfig,
} from '../config/schema.ts'
import { suggestOption } from '../config/suggestOption.ts'
import type { CommandContext, CommandDefinition, CommandStreams } from './command.ts'
import { CommandError, toFailure } from './errors.ts'
import { EXIT_CODE_TEXTS, EXIT_CODES, type ExitCode } from './exitCodes.ts'
import { addEarlierFlag, addFlags, takeFlags } from './flags.ts'
import { addHelpTopics } from './helpTopics.ts'
import { ResultOutput } from './resultOutput.ts'

/** External dependencies of a run of the program. */
export type ProgramInput = CommandStreams & {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly version: string
}

/** First words of two-word commands, and their descriptions. */
const GROUPS: Readonly<Record<string, string>> = {
  config: 'show or check the configuration',
  peer: 'this node among others: its id, the peers of a running node, their scores and bans',
  fleet:
    'several nodes as one service over NATS: create it, look at it, bring over one of an earlier version',
  bridge: 'try the two-way peg with Bitcoin',
  snapshot: 'make, check, sign and restore snapshots',
  'snapshot key': 'keys that sign snapshots',
  key: 'make, list, switch off and replace API keys, and see their usage; also while a node runs',
}

/** The program and the exit code of the command it ran last. */
export type Program = { readonly command: Command; readonly exitCode: () => ExitCode }

/**
 * Builds the command line of `rhizome` from commands and the schema of options.
 * @param commands all of them (`allCommands.ts`), or the one that is known to be meant
 */
export function createProgram(input: ProgramInput, commands: readonly CommandDefinition[]): Program {
  let exitCode: ExitCode = EXIT_CODES.ok
  const root = new Command('rhizome')
    .description('A Rootstock node')
    .version(input.version)
    .helpCommand(false)
    .addHelpText('after', helpFooter())
  configure(root, input)
  const groups = new Map<string, Command>()
  /** The parent of the commands whose names begin with these words. */
  const groupOf = (words: readonly string[]): Command => {
    const name = words.join(' ')
    if (name === '') return root
    const known = groups.get(name)
    if (known !== undefined) return known
    const group = new Command(words.at(-1)).description(GROUPS[name] ?? '').helpCommand(false)
    configure(group, input)
    groupOf(words.slice(0, -1)).addCommand(group)
    groups.set(name, group)
    return group
  }

  const add = (definition: CommandDefinition): void => {
    const words = definition.name.split(' ')
    const command = groupOf(words.slice(0, -1)).command(words.at(-1) as string)
    configure(command, input)
    describe(command, definition)
    suggestFlags(command, [...Object.keys(definition.extra), ...definition.options])
    command.action(async () => {
      const context = contextOf(command, definition, input)
      try {
        exitCode = await definition.run(context)
        if (exitCode === EXIT_CODES.ok && definition.printsNotices !== true) await assertPrinted(input.stdout)
      } catch (thrown) {
        throw toPrintFailure(thrown, input.stdout) ?? toFailure(thrown, context.config.dataDir)
      }
    })
  }
  for (const definition of commands) add(definition)
  return { command: root, exitCode: () => exitCode }
}

function configure(command: Command, { stdout, stderr }: CommandStreams): void {
  command
    .exitOverride()
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) })
}

/**
 * Has an unknown flag answered with what takes its place, or with the one that is called otherwise elsewhere, which edit
 * distance does not find.
 */
function suggestFlags(command: Command, keys: readonly string[]): void {
  command.showSuggestionAfterError(false).configureOutput({
    outputError: (text, write) => {
      if (/^error: too many arguments/.test(text)) {
        write(`${text.trimEnd()}\n(A value with spaces stands in quotes.)\n`)
        return
      }
      const flag = /^error: unknown option '(--[^'=]+)/.exec(text)?.[1]
      const gone = Object.entries(GONE_OPTIONS).find(([key]) => camelToFlag(key) === flag)
      if (gone !== undefined) {
        write(`error: ${flag} is no option any more: ${gone[1]}\n`)
        return
      }
      const meant = flag === undefined ? undefined : suggestOption(flag, keys)
      write(meant === undefined ? text : `${text.trimEnd()}\n(Did you mean ${camelToFlag(meant)}?)\n`)
    },
  })
}

function describe<E extends OptionTable>(command: Command, definition: CommandDefinition<E>): void {
  command
    .summary(definition.summary)
    .description([definition.summary, definition.details].filter(Boolean).join('. '))
  const { argument } = definition
  if (argument !== undefined) command.argument(argument.placeholder, argument.doc)
  if (definition.files === 'some') command.argument('<FILE...>', 'files to read')
  if (definition.files === 'any') command.argument('[FILE...]', 'files to read')
  for (const [key, option] of Object.entries(definition.extra)) addFlags(command, camelToFlag(key), option)
  for (const key of definition.options) addFlags(command, flagOf(key), OPTIONS[key])
  // A command with the options of the whole node has more of them than anybody reads.
  if (definition.options.length === OPTION_KEYS.length) addHelpTopics(command, definition.name)
  for (const renamed of renamedOptions(OPTIONS)) {
    if (definition.options.some((key) => key === renamed.key)) addEarlierFlag(command, renamed)
  }
}

/** A command whose result nobody got has failed. @throws CommandError */
async function assertPrinted(stdout: NodeJS.WritableStream): Promise<void> {
  if (!(stdout instanceof ResultOutput)) return
  await stdout.settled()
  const failure = toPrintFailure(stdout.errored, stdout)
  if (failure !== null) throw failure
}

/** The failure of a command that ended because of its standard output; null for any other. */
function toPrintFailure(thrown: unknown, stdout: NodeJS.WritableStream): CommandError | null {
  if (!(thrown instanceof Error && stdout instanceof ResultOutput && thrown === stdout.errored)) return null
  const message = `the standard output could not be written: ${thrown.message}`
  return new CommandError('Failed', message, undefined, { cause: thrown })
}

function contextOf<E extends OptionTable>(
  command: Command,
  definition: CommandDefinition<E>,
  { stdout, stderr, environment }: ProgramInput,
): CommandContext<E> {
  const given: Readonly<Record<string, unknown>> = command.opts()
  const onWarning = (text: string) => stderr.write(`warning: ${text}\n`)
  const flags = takeFlags(nodeSchema(onWarning), given, definition.options) as PartialConfig
  // A command that has no use for the data directory needs no home directory, either.
  const usesDataDir = definition.options.includes('dataDir')
  const sources = { flags: usesDataDir ? flags : { ...flags, dataDir: '' }, environment }
  const extra = Object.fromEntries(
    Object.entries(definition.extra).map(([key, option]) => [key, given[key] ?? ownDefault(option)]),
  )
  return {
    config: loadConfig({ ...sources, onWarning }),
    reloadConfig: () => loadConfig(sources),
    files: command.args,
    extra: extra as CommandContext<E>['extra'],
    stdout,
    stderr,
  }
}

// A default of a command's own option has no inputs, so that its function takes no context.
function ownDefault({ default: value }: OptionDefinition): unknown {
  return typeof value === 'function' ? (value as () => unknown)() : value
}

function helpFooter(): string {
  const codes = Object.entries(EXIT_CODE_TEXTS).map(([code, text]) => `  ${code}  ${text}`)
  return [
    '',
    'Every option can also stand in the environment (--http-port is RHIZOME_HTTP_PORT)',
    'or in a file (httpPort) named with --config. A flag wins over the environment, that over the file.',
    '',
    'Exit codes:',
    ...codes,
  ].join('\n')
}
