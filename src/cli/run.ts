import { CommanderError } from 'commander'
import { nativeBuild } from '../native/buildInfo.ts'
import { describeFailure } from './errors.ts'
import { EXIT_CODES, type ExitCode } from './exitCodes.ts'
import { createProgram } from './program.ts'
import { describeVersion, readCommit, readVersion } from './version.ts'

/** Runs the command line of this process; what fails is written to the standard error output. */
export async function runProgram(): Promise<ExitCode> {
  const program = createProgram({
    stdout: process.stdout,
    stderr: process.stderr,
    environment: process.env,
    version: describeVersion(readVersion(), readCommit(), nativeBuild()),
  })
  try {
    await program.command.parseAsync(process.argv)
    return program.exitCode()
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT_CODES.ok : EXIT_CODES.usage
    const { message, exitCode } = describeFailure(thrown)
    process.stderr.write(`error: ${message}\n`)
    return exitCode
  }
}
