import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { EXIT_CODES } from '../../src/cli/exitCodes.ts'
import { type CommandResult, runCommand, startCommand } from '../support/cli.ts'
import { createRandom } from '../support/random.ts'

export interface KillOptions {
  /** File of blocks of a regtest chain. */
  readonly file: string
  /** Imports to kill. */
  readonly runs: number
  readonly seed: number
  /** Options of each import, such as those of pruning. */
  readonly args?: readonly string[]
  readonly onRun?: (run: KillRun) => void
}

/** One import that was killed, or that ended before it could be. */
export interface KillRun {
  readonly run: number
  /** Milliseconds after the start of the process. */
  readonly delay: number
  readonly commitEvery: number
  /** Whether the signal came before the end. */
  readonly killed: boolean
  /** Canonical blocks in the store afterwards, genesis included. */
  readonly blocks: number
}

export interface KillReport {
  readonly runs: readonly KillRun[]
  /** Imports that were killed while they ran. */
  readonly killed: number
  /** Of these, those after which the store had more blocks than before. */
  readonly advanced: number
  /** How often the whole chain was imported, each time equal to the undisturbed import. */
  readonly finished: number
}

const COMMIT_SIZES = [1, 3, 16, 64]
/** Part of the undisturbed duration by which a kill may come late: then the import ends by itself. */
const LATE = 0.1

/**
 * Kills imports with SIGKILL at random instants. After each, `check` must find nothing, no block may be lost that
 * was there before, and the next import goes on. An import that ends by itself must have made the chain that an
 * undisturbed one makes; the next run then starts from nothing.
 * @throws Error that names the run when any of this does not hold
 */
export async function killImports(options: KillOptions): Promise<KillReport> {
  const { file, runs, seed, args = [] } = options
  const importArguments = (dataDir: string, every: number) => [
    ...['import', '--data-dir', dataDir, '--commit-every', String(every), '--log-level', 'silent'],
    ...args,
    file,
  ]
  const random = createRandom(seed)
  const folder = mkdtempSync(join(tmpdir(), 'rhizome-kill-'))
  const whole = join(folder, 'whole')
  const store = join(folder, 'store')
  const done: KillRun[] = []
  let advanced = 0
  let finished = 0
  let blocks = 0
  try {
    const start = performance.now()
    assertExit(await runCommand(importArguments(whole, 64)), 'the undisturbed import')
    const duration = performance.now() - start
    const expected = await exportChain(whole, folder)
    for (let run = 1; run <= runs; run++) {
      // Squared: most kills come early, so that a chain takes several runs and is cut at many places.
      const delay = Math.round(random() ** 2 * duration * (1 + LATE))
      const commitEvery = COMMIT_SIZES[Math.floor(random() * COMMIT_SIZES.length)] ?? 1
      const killed = await killAfter(importArguments(store, commitEvery), delay)
      const found = await countBlocks(store, `run ${run}, seed ${seed}`, killed ? [] : ['--full'])
      if (found < blocks) throw new Error(`run ${run}, seed ${seed}: ${blocks} blocks before, ${found} after`)
      if (killed && found > blocks) advanced += 1
      blocks = found
      if (!killed) {
        if (!(await exportChain(store, folder)).equals(expected)) {
          throw new Error(`run ${run}, seed ${seed}: another chain than the undisturbed import`)
        }
        finished += 1
        blocks = 0
        rmSync(store, { recursive: true, force: true })
      }
      const result: KillRun = { run, delay, commitEvery, killed, blocks: found }
      done.push(result)
      options.onRun?.(result)
    }
    if (done.at(-1)?.killed === true) {
      assertExit(await runCommand(importArguments(store, 64)), 'the last import')
      if (!(await exportChain(store, folder)).equals(expected))
        throw new Error('the last import made another chain')
      finished += 1
    }
    return { runs: done, killed: done.filter(({ killed }) => killed).length, advanced, finished }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Whether the process was still running when the signal came. */
async function killAfter(args: readonly string[], delay: number): Promise<boolean> {
  const command = startCommand(args)
  const timer = sleep(delay).then(() => command.kill('SIGKILL'))
  const result = await command.done
  await timer
  if (result.signal === 'SIGKILL') return true
  assertExit(result, `import ${args.join(' ')}`)
  return false
}

/**
 * Blocks of the canonical chain as `check` counts them, with the newest states read or all; 0 where the import was
 * killed before it made a chain.
 */
async function countBlocks(dataDir: string, what: string, states: readonly string[]): Promise<number> {
  const result = await runCommand(['check', ...states, '--data-dir', dataDir, '--log-level', 'silent'])
  if (result.code === EXIT_CODES.failed && / holds no chain\b/.test(result.stderr)) return 0
  assertExit(result, `check after ${what}`)
  const counted = /^(\d+) blocks.*: 0 problems/m.exec(result.stdout)?.[1]
  if (counted === undefined) throw new Error(`check after ${what} printed:\n${result.stdout}${result.stderr}`)
  return Number(counted)
}

async function exportChain(dataDir: string, folder: string): Promise<Buffer> {
  const file = join(folder, 'export.rlp')
  const args = ['export', '--data-dir', dataDir, '--output', file, '--log-level', 'silent']
  assertExit(await runCommand(args), 'export')
  return readFileSync(file)
}

function assertExit(result: CommandResult, what: string): void {
  if (result.code === 0) return
  throw new Error(`${what}: exit ${result.code ?? result.signal}\n${result.stdout}${result.stderr}`)
}
