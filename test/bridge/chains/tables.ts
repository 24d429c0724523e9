import { type ActivationHeights, createActivationHeights, NEVER } from '../../../src/config/activations.ts'
import { RULES, type Rule } from '../../../src/config/rules.ts'
import { UPGRADES, type Upgrade } from '../../../src/config/upgrades.ts'

/** Orders of the upgrades that chains are made under. */
export type TableName = 'regtest' | 'main' | 'testnet'

/** Height of every rule. */
export interface Table {
  readonly heights: ActivationHeights
  /** Blocks at which rules begin to apply, ascending. */
  readonly steps: readonly number[]
}

/** Upgrades of the main network, one after the other. */
const MAIN: readonly Upgrade[] = [
  'bahamas',
  'afterBridgeSync',
  'orchid',
  'orchid060',
  'wasabi100',
  'twoToThree',
  'papyrus200',
  'iris300',
  'hop400',
  'hop401',
  'fingerroot500',
  'arrowhead600',
  'arrowhead631',
  'lovell700',
  'reed800',
  'vetiver900',
]

/** Upgrades of the test network that are not there from its first block; 284 and 290 precede their upgrade. */
const TESTNET: readonly (readonly (Upgrade | Rule)[])[] = [
  ['rskip132'],
  ['afterBridgeSync'],
  ['twoToThree'],
  ['papyrus200'],
  ['iris300'],
  ['rskip284', 'rskip290'],
  ['hop400'],
  ['hop401'],
  ['fingerroot500'],
  ['arrowhead600'],
  ['lovell700'],
  ['reed800'],
  ['reed810'],
  ['vetiver900', 'rskip535'],
]

const NEVER_ON_MAIN: readonly Rule[] = [
  'rskip144',
  'rskip351',
  'rskip502',
  'rskip529',
  'rskip535',
  'rskip559',
]

/**
 * The table of a chain. Under the orders of main and test net an upgrade follows the last one after 100 to 150 blocks,
 * as far as so many blocks have room.
 */
export function createTable(name: TableName, blocks: number, random: () => number): Table {
  if (name === 'regtest') return tableOf({}, {})
  const groups = name === 'main' ? MAIN.map((upgrade) => [upgrade]) : TESTNET
  const upgrades: Partial<Record<Upgrade, number>> = {}
  const rules: Partial<Record<Rule, number>> = {}
  const step = Math.min(1, blocks / (groups.length * 125))
  let height = 0
  for (const group of groups) {
    height += Math.max(1, Math.floor((100 + random() * 50) * step))
    for (const each of group) {
      if (isUpgrade(each)) upgrades[each] = height
      else rules[each] = height
    }
  }
  if (name === 'main') {
    for (const rule of NEVER_ON_MAIN) rules[rule] = NEVER
    upgrades.reed810 = NEVER
    upgrades.tbd1000 = NEVER
  } else {
    for (const upgrade of ['arrowhead631', 'tbd1000'] as const) upgrades[upgrade] = NEVER
    for (const upgrade of ['bahamas', 'orchid', 'orchid060', 'wasabi100'] as const) upgrades[upgrade] = 0
  }
  return tableOf(upgrades, rules)
}

/** Without anything said, the heights of regtest. Difficulty stays what regtest has: 97 is off. */
function tableOf(upgrades: Partial<Record<Upgrade, number>>, rules: Partial<Record<Rule, number>>): Table {
  const isRegtest = Object.keys(upgrades).length === 0
  const all = Object.fromEntries(
    Object.keys(UPGRADES).map((name) => [name, upgrades[name as Upgrade] ?? 0]),
  ) as Record<Upgrade, number>
  if (isRegtest) {
    all.afterBridgeSync = NEVER
    all.arrowhead631 = NEVER
  }
  const own: Partial<Record<Rule, number>> = isRegtest
    ? { rskip144: 1, rskip351: 1, rskip535: 1, rskipUMM: 1 }
    : { rskip535: NEVER }
  const heights = createActivationHeights({
    upgrades: all,
    overrides: { ...own, ...rules, rskip97: NEVER },
  })
  const steps = [...new Set(RULES.map((rule) => heights[rule]))].filter((each) => each > 0)
  return { heights, steps: steps.sort((a, b) => a - b) }
}

function isUpgrade(name: string): name is Upgrade {
  return Object.hasOwn(UPGRADES, name)
}

/** The heights as the file of `--activation-heights` has them. */
export function asActivationFile({ heights }: Table): string {
  return `${JSON.stringify(heights, null, 1)}\n`
}

/** The same as a configuration of the reference, beside which its regtest is named. */
export function asReferenceConfiguration({ heights }: Table): string {
  const lines = RULES.map((rule) => `      ${rule} = ${heights[rule]}`)
  return `blockchain {\n  config {\n    consensusRules {\n${lines.join('\n')}\n    }\n  }\n}\n`
}
