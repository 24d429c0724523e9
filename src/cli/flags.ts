import { type Command, Option } from 'commander'
import type { OptionDefinition } from '../config/option.ts'
import { OptionNames, type OptionSchema, type RenamedOption, renamedOptions } from '../config/optionNames.ts'
import { defaultText } from '../config/reference.ts'
import { camelToFlag } from '../config/schema.ts'
import { parseValue } from '../config/value.ts'

/**
 * Adds the earlier flag of an option to a command, hidden from help. Its value arrives under the earlier key,
 * which {@link takeFlags} handles.
 */
export function addEarlierFlag(command: Command, { definition, renamedFrom }: RenamedOption): void {
  const flag = camelToFlag(renamedFrom.name)
  if (definition.kind === 'boolean') {
    command.addOption(new Option(flag).hideHelp())
    command.addOption(new Option(`--no-${flag.slice(2)}`).hideHelp())
    return
  }
  const option = new Option(`${flag} <${argumentOf(definition)}>`)
  command.addOption(option.hideHelp().argParser(readWith(definition, flag)))
}

/**
 * Values of flags by the current keys of their options.
 * @param given values by keys in camel case, current and earlier ones
 * @param keys options of the command
 * @throws ConfigError for an earlier flag that is no longer accepted, or is given with the current one
 */
export function takeFlags(
  schema: OptionSchema,
  given: Readonly<Record<string, unknown>>,
  keys: readonly string[],
): Record<string, unknown> {
  const names = new OptionNames(schema, camelToFlag, [...keys])
  const earlier = renamedOptions(schema.options).map(({ renamedFrom }) => renamedFrom.name)
  const values: Record<string, unknown> = {}
  for (const name of [...keys, ...earlier]) {
    if (!(name in given)) continue
    const key = names.take(camelToFlag(name))
    if (key !== undefined) values[key] = given[name]
  }
  return values
}

/** Adds the flags of an option to a command; their value arrives under the option's key. */
export function addFlags(command: Command, flag: string, definition: OptionDefinition): void {
  const heading = `${definition.group === 'Command' ? 'Command options' : definition.group}:`
  if (definition.kind === 'boolean') {
    const negative = `--no-${flag.slice(2)}`
    command.addOption(
      shown(new Option(flag, describe(definition, `; ${negative}`)).helpGroup(heading), definition),
    )
    command.addOption(new Option(negative).hideHelp())
    return
  }
  const option = new Option(`${flag} <${argumentOf(definition)}>`, describe(definition, ''))
  command.addOption(shown(option.helpGroup(heading).argParser(readWith(definition, flag)), definition))
}

function shown(option: Option, { retired }: OptionDefinition): Option {
  return retired === undefined ? option : option.hideHelp()
}

/** Parses the value of a flag. Repeated lists are concatenated; for other options the last value counts. */
function readWith(definition: OptionDefinition, flag: string): (text: string, before: unknown) => unknown {
  return (text, before) => {
    const value = parseValue(definition, text, flag)
    return Array.isArray(value) && Array.isArray(before) ? [...before, ...value] : value
  }
}

function describe(definition: OptionDefinition, suffix: string): string {
  const choices = definition.kind === 'choice' ? `: ${definition.values.join(', ')}` : ''
  return `${definition.doc}${choices} (default: ${defaultText(definition)}${suffix})`
}

function argumentOf(definition: Exclude<OptionDefinition, { kind: 'boolean' }>): string {
  switch (definition.kind) {
    case 'integer':
      return 'N'
    case 'choice':
      return 'NAME'
    default:
      return definition.placeholder
  }
}
