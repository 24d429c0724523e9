import { type Command, Option } from 'commander'
import type { OptionDefinition } from '../config/option.ts'
import { defaultText } from '../config/reference.ts'
import { parseValue } from '../config/value.ts'

/** Adds the flags of an option to a command; their value arrives under the option's key. */
export function addFlags(command: Command, flag: string, definition: OptionDefinition): void {
  const heading = `${definition.group === 'Command' ? 'Command options' : definition.group}:`
  if (definition.kind === 'boolean') {
    const negative = `--no-${flag.slice(2)}`
    command.addOption(new Option(flag, describe(definition, `; ${negative}`)).helpGroup(heading))
    command.addOption(new Option(negative).hideHelp())
    return
  }
  const option = new Option(`${flag} <${argumentOf(definition)}>`, describe(definition, ''))
  command.addOption(option.helpGroup(heading).argParser((text) => parseValue(definition, text, flag)))
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
