import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { describeMachine } from '../report/machine.ts'
import { barChart } from '../report/plot.ts'
import { type Section, saveSections } from '../report/results.ts'
import { type BridgeStats, bridgeTables, dearest } from './bridgeTables.ts'

interface EngineStats {
  readonly gas: number
  readonly seconds: number
  readonly mgasPerSecond: number
}

interface ProgramStats {
  readonly program: string
  readonly ours: EngineStats
  readonly revm: EngineStats
}

interface PathStats {
  readonly path: string
  readonly nanoseconds: number
}

interface TrieStats {
  readonly keys: number
  readonly path: string
  readonly value: number
  readonly unit: string
}

const WORKSPACE = fileURLToPath(new URL('../../native', import.meta.url))
const PARTS = ['engines', 'micro', 'trie', 'bridge'] as const
/** The search over the Bridge takes minutes, and its tables are in a file of their own. */
const ALONE = 'bridge'
const SIZES = [1e4, 1e6]
const LARGE_SIZE = 1e7
/** Target of the ratio to bare revm. */
const ENGINE_TARGET = 0.9

/** `bench -- native`: the executor against revm with its own handler, journal and frames, hot paths, the Unitrie. */
export function benchNative(args: string[]): void {
  const { values } = parseArgs({
    args,
    options: {
      parts: { type: 'string', default: PARTS.filter((part) => part !== ALONE).join(',') },
      scenes: { type: 'string', default: '' },
      stats: { type: 'string' },
      large: { type: 'boolean', default: false },
      dev: { type: 'boolean', default: false },
    },
  })
  const parts = values.parts.split(',')
  const unknown = parts.find((part) => !PARTS.some((known) => known === part))
  if (unknown !== undefined) throw new Error(`--parts: ${PARTS.join(',')} expected, not ${unknown}`)
  const run = <T>(part: (typeof PARTS)[number], ...sizes: number[]): T[] =>
    parts.includes(part) ? runProgram<T>(values.dev, [part, ...sizes.map(String)]) : []
  const machine = { ...describeMachine(), releaseBuild: !values.dev }
  if (parts.includes(ALONE)) {
    const search = (scene: string) => runProgram<BridgeStats>(values.dev, ['bridge-search', scene])
    const stats =
      values.stats === undefined
        ? values.scenes.split(',').flatMap(search)
        : linesOf<BridgeStats>(readFileSync(values.stats, 'utf8'))
    const worst = dearest(stats)
    saveSections('native-bridge', machine, bridgeTables(worst), worst)
  }
  if (parts.every((part) => part === ALONE)) return
  const engines = run<ProgramStats>('engines')
  const paths = run<PathStats>('micro')
  const tries = run<TrieStats>('trie', ...SIZES, ...(values.large ? [LARGE_SIZE] : []))
  saveSections('native', machine, sectionsOf(engines, paths, tries), { engines, paths, tries })
}

function runProgram<T>(dev: boolean, args: string[]): T[] {
  const profile = dev ? [] : ['--release']
  const output = execFileSync('cargo', ['run', '--quiet', ...profile, '-p', 'rhizome-bench', '--', ...args], {
    cwd: WORKSPACE,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return linesOf(output)
}

function linesOf<T>(text: string): T[] {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T)
}

function sectionsOf(
  engines: readonly ProgramStats[],
  paths: readonly PathStats[],
  tries: readonly TrieStats[],
): Section[] {
  const sections: Section[] = []
  if (engines.length > 0) {
    const svg = barChart(
      'EVM, Mgas/s (logarithmic)',
      engines.map(({ program }) => program),
      [
        { name: 'rhizome', values: engines.map(({ ours }) => ours.mgasPerSecond) },
        { name: 'bare revm', values: engines.map(({ revm }) => revm.mgasPerSecond) },
      ],
    )
    sections.push({
      title: 'EVM against bare revm',
      note: 'Prices differ between the chains, so time for the same work is the fairer measure.',
      rows: engines.map(({ program, ours, revm }) => ({
        program,
        'Mgas/s': ours.mgasPerSecond,
        'revm Mgas/s': revm.mgasPerSecond,
        'ratio by gas': ours.mgasPerSecond / revm.mgasPerSecond,
        'ratio by time': revm.seconds / ours.seconds,
        [`≥ ${ENGINE_TARGET} by time`]: revm.seconds / ours.seconds >= ENGINE_TARGET ? 'met' : '**not met**',
      })),
      plot: { name: 'evm', svg },
    })
  }
  if (paths.length > 0) {
    const rows = paths.map(({ path, nanoseconds }) => ({
      path,
      ns: nanoseconds,
      'per second': 1e9 / nanoseconds,
    }))
    sections.push({ title: 'Hot paths', rows })
  }
  if (tries.length > 0) {
    const sizes = [...new Set(tries.map(({ keys }) => keys))]
    const rows = [...new Set(tries.map(({ path }) => path))].map((path) => {
      const found = tries.filter((figure) => figure.path === path)
      const at = (keys: number) => found.find((figure) => figure.keys === keys)?.value ?? ''
      const cells = sizes.map((keys) => [`${keys.toLocaleString('en-US')} keys`, at(keys)])
      return { path, unit: found[0]?.unit ?? '', ...Object.fromEntries(cells) }
    })
    sections.push({ title: 'Unitrie in its store', rows })
  }
  return sections
}
