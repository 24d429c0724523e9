import { OPTION_GROUPS, type OptionDefinition, type OptionGroup } from './option.ts'
import { environmentNameOf, flagOf, OPTION_KEYS, OPTIONS, type OptionKey } from './schema.ts'
import { expectedValue } from './value.ts'

/** The description of an option's default in help and in the reference table. */
export function defaultText(definition: OptionDefinition): string {
  if ('defaultText' in definition) return definition.defaultText
  const value = definition.default
  if (value === null) return 'none'
  return Array.isArray(value) ? value.join(',') : String(value)
}

/** Markdown tables of all options by group: file key, flag, environment name, values, default, meaning. */
export function configReference(): string {
  return OPTION_GROUPS.map((group) => {
    const rows = OPTION_KEYS.filter((key) => isShown(key, group)).map(referenceRow)
    return [
      `### ${group}`,
      '',
      '| key | flag and environment name | values | default | meaning |',
      '|---|---|---|---|---|',
      ...rows,
    ].join('\n')
  }).join('\n\n')
}

function isShown(key: OptionKey, inGroup: OptionGroup): boolean {
  const { group, retired }: OptionDefinition = OPTIONS[key]
  return group === inGroup && retired === undefined
}

function referenceRow(key: OptionKey): string {
  const definition: OptionDefinition = OPTIONS[key]
  const file = definition.inFile === false ? '(not in a file)' : `\`${key}\``
  const flag = definition.kind === 'boolean' ? `\`--[no-]${flagOf(key).slice(2)}\`` : `\`${flagOf(key)}\``
  const cells = [
    file,
    `${flag} \`${environmentNameOf(key)}\``,
    expectedValue(definition),
    defaultText(definition),
    definition.doc,
  ]
  return `| ${cells.map(escapeCell).join(' | ')} |`
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '\\<').replaceAll('*', '\\*')
}
