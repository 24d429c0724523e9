import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { describeMachine } from '../report/machine.ts'
import { saveResults } from '../report/results.ts'

interface EngineFigures {
  readonly gas: number
  readonly seconds: number
  readonly mgasPerSecond: number
}

interface ProgramFigures {
  readonly program: string
  readonly ours: EngineFigures
  readonly revm: EngineFigures
}

const WORKSPACE = fileURLToPath(new URL('../../native', import.meta.url))

/**
 * `bench -- native [--dev]`: the executor against revm with its own handler, journal and frames: the same bytecode
 * and calls, by turns in one process, the quickest of 15 rounds each. `--dev` builds quickly, to try the bench out.
 */
export function benchNative(args: string[]): void {
  const { values } = parseArgs({ args, options: { dev: { type: 'boolean', default: false } } })
  const profile = values.dev ? [] : ['--release']
  const run = ['run', '--quiet', ...profile, '-p', 'rhizome-bench']
  const output = execFileSync('cargo', run, {
    cwd: WORKSPACE,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const machine = { ...describeMachine(), releaseBuild: !values.dev }
  const figures = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as ProgramFigures)
  const rows = figures.map(({ program, ours, revm }) => ({
    program,
    'Mgas/s': ours.mgasPerSecond,
    'revm Mgas/s': revm.mgasPerSecond,
    // Prices differ between the chains: time for the same work is the fairer measure.
    'ratio by gas': ours.mgasPerSecond / revm.mgasPerSecond,
    'ratio by time': revm.seconds / ours.seconds,
  }))
  saveResults('native', machine, rows, figures)
}
