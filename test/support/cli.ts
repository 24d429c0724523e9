import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { LOADER, ROOT } from './sources.ts'

/** What a finished command left. */
export interface CommandResult {
  /** null when a signal ended it. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** A command that runs, with its output so far. */
export interface RunningCommand {
  readonly process: ChildProcess
  /** Everything written so far, standard output and error in one. */
  output(): string
  /** Whether it has neither ended nor been killed. */
  isRunning(): boolean
  /** Sends a signal to the command, and to the program it runs under. */
  kill(signal: NodeJS.Signals): void
  readonly done: Promise<CommandResult>
}

/**
 * The arguments of `node` that run the command line: the built one, or the sources where they are newer, so that
 * a test never runs yesterday's code.
 */
export function cliArguments(): string[] {
  const built = join(ROOT, 'dist/cli/main.js')
  const stamp = join(ROOT, 'dist/build.json')
  const newest = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(ts|js|css|html|svg)$/.test(path))
    .reduce((time, path) => Math.max(time, statSync(join(ROOT, 'src', path)).mtimeMs), 0)
  if (existsSync(built) && existsSync(stamp) && statSync(stamp).mtimeMs > newest) return [built]
  return ['--import', LOADER, join(ROOT, 'src/cli/main.ts')]
}

/**
 * A node without options of the environment. The test runner patches `spawn` to add its loader to whatever
 * environment is given here, so that it has to be taken off behind that: the process, its id included, is the same.
 */
const BARE_NODE = ['env', '-u', 'NODE_OPTIONS', process.execPath]

/**
 * Starts `rhizome` with these arguments, optionally under another program such as strace.
 * @param rhizome arguments of `node` that run it
 */
export function startCommand(
  args: readonly string[],
  under: readonly string[] = [],
  rhizome: readonly string[] = cliArguments(),
): RunningCommand {
  const [program = '', ...before] = [...under, ...BARE_NODE]
  const child = spawn(program, [...before, ...rhizome, ...args], {
    env: commandEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, for a program such as strace does not hand on signals.
    detached: under.length > 0,
  })
  let stdout = ''
  let stderr = ''
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    output += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
    output += text
  })
  const done = new Promise<CommandResult>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }))
  })
  const isRunning = () => child.exitCode === null && child.signalCode === null
  const kill = (signal: NodeJS.Signals) => {
    if (!isRunning() || child.pid === undefined) return
    process.kill(under.length > 0 ? -child.pid : child.pid, signal)
  }
  return { process: child, output: () => output, isRunning, kill, done }
}

/** Runs `rhizome` to its end. */
export function runCommand(args: readonly string[]): Promise<CommandResult> {
  return startCommand(args).done
}

/** The environment without the test runner's own loader and without options of a node. */
function commandEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(NODE_OPTIONS|NODE_V8_COVERAGE|TAP.*|_TAPJS.*|RHIZOME_.*)$/.test(name),
  )
  return Object.fromEntries(kept)
}
