import { RULES, type Rule } from './rules.ts'
import { UPGRADES, type Upgrade } from './upgrades.ts'

/** Height of a rule that a network never activates. */
export const NEVER = -1

/** First block at which each rule is active; {@link NEVER} (any negative number) for never. */
export type ActivationHeights = Readonly<Record<Rule, number>>

/** Activation heights of the upgrades, and of the rules that differ from their upgrade's. */
export type ActivationTable = {
  readonly upgrades: Readonly<Record<Upgrade, number>>
  readonly overrides: Readonly<Partial<Record<Rule, number>>>
}

/**
 * The activation height of every rule: its own if the network sets one, else that of its upgrade
 * (consensus.md §1.3).
 */
export function createActivationHeights({ upgrades, overrides }: ActivationTable): ActivationHeights {
  const heights = Object.fromEntries(RULES.map((rule) => [rule, NEVER])) as Record<Rule, number>
  for (const upgrade of Object.keys(UPGRADES) as Upgrade[]) {
    for (const rule of UPGRADES[upgrade]) heights[rule] = upgrades[upgrade]
  }
  return { ...heights, ...overrides }
}

/** True when the rule applies to the block: `0 ≤ height ≤ number` (consensus.md §1.2). */
export function isActive(spec: HasActivations, rule: Rule, number: number): boolean {
  const height = spec.activationHeights[rule]
  return height >= 0 && height <= number
}

/**
 * Whether the rule activates exactly at the block, where one-off state changes happen (consensus.md §1.5).
 */
export function isActivating(spec: HasActivations, rule: Rule, number: number): boolean {
  return spec.activationHeights[rule] === number
}

/** The rules that apply to the block, in the order of {@link RULES}. */
export function activeRules(spec: HasActivations, number: number): Rule[] {
  return RULES.filter((rule) => isActive(spec, rule, number))
}

type HasActivations = { readonly activationHeights: ActivationHeights }
