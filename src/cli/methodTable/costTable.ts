import type { MethodDefinition } from '../../rpc/defineMethod.ts'

/** Markdown table of what methods cost, the cheapest first. */
export function costTable(methods: readonly MethodDefinition[]): string {
  const byCost = new Map<number, string[]>()
  for (const { name, cost, audience } of methods) {
    if (audience === 'internal') continue
    byCost.set(cost, [...(byCost.get(cost) ?? []), name])
  }
  const rows = [...byCost]
    .sort(([one], [other]) => one - other)
    .map(([cost, names]) => `| ${cost} | ${names.sort().join(', ')} |`)
  return ['| cost units | methods |', '|---|---|', ...rows].join('\n').replaceAll('_', '\\_')
}
