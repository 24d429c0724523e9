import {
  type ActivationHeights,
  type ActivationTable,
  createActivationHeights,
  NEVER,
} from './activations.ts'
import { ConfigError } from './errors.ts'
import { parseMapping, readText } from './file.ts'
import { RULES, type Rule } from './rules.ts'
import { suggest } from './suggest.ts'
import { UPGRADES, type Upgrade } from './upgrades.ts'

/**
 * Activation heights of a network, overridden by those of a file. As in the configuration of the reference,
 * an upgrade moves those of its rules that neither the network nor the file set individually.
 * @param table of the network
 * @throws ConfigError UnreadableFile, InvalidFile, UnknownOption for an unknown upgrade or rule, InvalidValue
 *   for a height that is not an integer of at least -1
 */
export function readActivationFile(path: string, table: ActivationTable): ActivationHeights {
  return parseActivationFile(readText(path, 'activation heights'), path, table)
}

/**
 * The same for the content of a file.
 * @param name of the file, for messages
 * @throws ConfigError all but UnreadableFile of {@link readActivationFile}
 */
export function parseActivationFile(text: string, name: string, table: ActivationTable): ActivationHeights {
  const upgrades: Partial<Record<Upgrade, number>> = {}
  const overrides: Partial<Record<Rule, number>> = {}
  for (const [key, value] of Object.entries(parseMapping(text, name, 'heights as rule or upgrade: number'))) {
    if (isUpgrade(key)) upgrades[key] = checkHeight(value, name, key)
    else if (isRule(key)) overrides[key] = checkHeight(value, name, key)
    else throw unknown(key, name)
  }
  return createActivationHeights({
    upgrades: { ...table.upgrades, ...upgrades },
    overrides: { ...table.overrides, ...overrides },
  })
}

function checkHeight(value: unknown, name: string, key: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= NEVER) return value
  throw new ConfigError(
    'InvalidValue',
    `${name}: ${key}: expected a height from 0 on or ${NEVER} for never, got ${JSON.stringify(value)}`,
  )
}

function unknown(key: string, name: string): ConfigError {
  const meant = suggest(key, [...Object.keys(UPGRADES), ...RULES])
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`
  return new ConfigError('UnknownOption', `${name}: ${key} is no upgrade and no rule${hint}`)
}

function isUpgrade(name: string): name is Upgrade {
  return Object.hasOwn(UPGRADES, name)
}

function isRule(name: string): name is Rule {
  return (RULES as readonly string[]).includes(name)
}
