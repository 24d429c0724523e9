import { PassThrough } from 'node:stream'
import { COMMANDS } from '../../src/cli/allCommands.ts'
import { describeFailure } from '../../src/cli/errors.ts'
import { createProgram } from '../../src/cli/program.ts'
import type { CommandResult } from './cli.ts'

/** What a command left that ran in this process. */
export interface ProgramResult {
  readonly code: number
  /** What it threw, from which the program makes its message. */
  readonly thrown: unknown
  readonly stdout: string
  readonly stderr: string
}

/**
 * Runs `rhizome` to its end as `runCommand` does, but in this process, which takes a fraction of the time: for tests
 * of what a command does, not of how its process ends. Not for a folder that is removed and made anew: this process
 * may still have what was there.
 */
export async function runInProcess(words: readonly string[]): Promise<CommandResult> {
  const { code, thrown, stdout, stderr } = await runProgram(...words)
  if (thrown === undefined) return { code, signal: null, stdout, stderr }
  const { message, exitCode } = describeFailure(thrown)
  return { code: exitCode, signal: null, stdout, stderr: `${stderr}error: ${message}\n` }
}

/** Runs `rhizome` with these words in this process. */
export async function runProgram(...words: string[]): Promise<ProgramResult> {
  const stdout = new PassThrough()
  const stderr = new PassThrough()
  const program = createProgram({ stdout, stderr, environment: {}, version: '1.2.3' }, COMMANDS)
  let thrown: unknown
  try {
    await program.command.parseAsync(words, { from: 'user' })
  } catch (error) {
    thrown = error
  }
  return {
    code: program.exitCode(),
    thrown,
    stdout: String(stdout.read() ?? ''),
    stderr: String(stderr.read() ?? ''),
  }
}
