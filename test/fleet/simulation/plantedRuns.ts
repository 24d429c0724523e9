import { join } from 'node:path'
import type { TestBuild } from '../../support/testBuild.ts'
import type { PlantedFault } from './plantedFaults.ts'
import { loadModules } from './simModules.ts'
import { simulate } from './simulate.ts'

/** The first seed whose run shows a planted fault, and how; null when none does. */
export async function findPlanted(
  build: TestBuild,
  { name, rule, changes }: PlantedFault,
  seeds: { readonly first: number; readonly most: number },
): Promise<{ readonly seed: number; readonly what: string } | null> {
  const folder = name.replaceAll(/[^a-z]+/g, '-')
  await build.program(folder, changes)
  const modules = await loadModules(join(build.folder, folder))
  for (let seed = seeds.first; seed < seeds.first + seeds.most; seed += 1) {
    const { violations } = await simulate(seed, modules)
    const found = violations.find((violation) => violation.rule.startsWith(rule))
    if (found !== undefined) return { seed, what: `${found.rule}: ${found.what}` }
  }
  return null
}
