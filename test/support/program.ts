import { PassThrough } from 'node:stream'
import { createProgram } from '../../src/cli/program.ts'

/** What a command left that ran in this process. */
export interface ProgramResult {
  readonly code: number
  /** What it threw, from which the program makes its message. */
  readonly thrown: unknown
  readonly stdout: string
  readonly stderr: string
}

/** Runs `rhizome` with these words in this process. */
export async function runProgram(...words: string[]): Promise<ProgramResult> {
  const stdout = new PassThrough()
  const stderr = new PassThrough()
  const program = createProgram({ stdout, stderr, environment: {}, version: '1.2.3' })
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
