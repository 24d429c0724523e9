import { TestBuild } from '../../test/support/testBuild.ts'
import { Generator } from '../load/generator.ts'
import { describeMachine } from '../report/machine.ts'
import { type Row, saveSections } from '../report/results.ts'
import { openEndpoint } from './endpoint.ts'
import { LAYERS } from './layers.ts'
import { measureNoisyKeys, median, movedBy, NOISY_KEYS, type NoiseResult } from './noisyKey.ts'
import type { OverloadOptions } from './options.ts'
import { NODE_OPTIONS, SPARSE_BLOCKS } from './scene.ts'

const ALL_ON = 'all on'

/**
 * What each layer between clients buys: the noisy keys on nodes that were compiled without it, one after the other.
 * @param layers parts of the names of layers; empty for all
 */
export async function ablate(options: OverloadOptions, layers: readonly string[]): Promise<void> {
  const machine = describeMachine()
  const generator = new Generator()
  const build = await TestBuild.create()
  const runs: { readonly without: string; readonly results: readonly NoiseResult[] }[] = []
  const size = { transfers: options.transfers, accounts: options.accounts, sparseBlocks: SPARSE_BLOCKS }
  const measure = async (without: string, program: string) => {
    const endpoint = await openEndpoint(size, NOISY_KEYS, [...NODE_OPTIONS, '--response-cache', '0'], program)
    try {
      runs.push({ without, results: await measureNoisyKeys(endpoint, generator, options) })
    } finally {
      await endpoint.stop()
    }
    saveSections(
      'overload-ablation',
      machine,
      [{ title: 'Layers', note: noteOf(options), rows: rowsOf(runs) }],
      {
        runs,
      },
    )
  }
  try {
    const program = await build.program()
    await measure(ALL_ON, program)
    for (const [i, { name, off }] of LAYERS.entries()) {
      if (layers.length > 0 && !layers.some((part) => name.includes(part))) continue
      await measure(name, await build.program(`without-${i}`, off))
    }
    await measure(`${ALL_ON}, again`, program)
  } finally {
    generator.close()
    build.remove()
  }
}

function noteOf({ noisySeconds, quietRate, workerRate }: OverloadOptions): string {
  return (
    'What is switched off is switched off in a copy of the source; the response cache is off everywhere. In every cell: the p99 of the quiet key beside the ' +
    `noise in milliseconds, over its p99 right before without it, medians of the turns of ${noisySeconds} s. "front": ` +
    `${quietRate} requests a second that the front thread answers, "workers": ${workerRate} that workers answer.`
  )
}

function rowsOf(
  runs: readonly { readonly without: string; readonly results: readonly NoiseResult[] }[],
): Row[] {
  return runs.map(({ without, results }) => {
    const cells = results.map((result) => {
      const beside = median(result.parts.map(({ beside }) => beside.p99))
      return [
        `${result.noise} (${result.quiet})`,
        `${beside.toFixed(2)} (${movedBy(result).toFixed(1)}×)`,
      ] as const
    })
    return { without, ...Object.fromEntries(cells) }
  })
}
