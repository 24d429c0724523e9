import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { cliArguments } from './cli.ts'
import { ROOT } from './sources.ts'

/** What a program printed, and how it ended. */
export interface ProgramResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs `node` with these arguments, without what the test runner adds to programs, until it ends. */
export async function runNode(args: readonly string[]): Promise<ProgramResult> {
  const child = spawn('env', ['-u', 'NODE_OPTIONS', process.execPath, ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, stdout, stderr }
}

/**
 * Compiles the sources where they are newer than what is compiled, so that `import 'rhizome'` never gives yesterday's.
 * @throws Error with the output of the compiler
 */
export async function buildPackage(): Promise<void> {
  if (cliArguments().length === 1) return
  const compiler = await runNode(['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'])
  if (compiler.code !== 0) throw new Error(compiler.stdout)
  const finish = await runNode(['.deploy/package/finishBuild.mjs', 'dist'])
  if (finish.code !== 0) throw new Error(finish.stderr)
}
