import { CommanderError } from 'commander'
import { nativeBuild } from '../native/buildInfo.ts'
import { reportLostPages } from '../native/lostPages.ts'
import { releaseTerminalsAtExit } from '../native/terminals.ts'
import { LogOutput, STDERR } from '../observe/logOutput.ts'
import type { CommandDefinition } from './command.ts'
import { describeFailure } from './errors.ts'
import { EXIT_CODES, type ExitCode } from './exitCodes.ts'
import { createProgram } from './program.ts'
import { ResultOutput } from './resultOutput.ts'
import { describeVersion, readCommit, readVersion } from './version.ts'

const LOST_PAGES =
  'error: a page of a store cannot be read: its file was cut while this process had it open, or the disk fails. ' +
  'Run `rhizome check` to see what is lost; a snapshot (`rhizome snapshot restore`) or a copy has it'

/** Runs the command line of this process; failures are written to standard error. */
export async function runProgram(): Promise<ExitCode> {
  reportLostPages(LOST_PAGES, EXIT_CODES.damaged)
  releaseTerminalsAtExit()
  const stderr = new LogOutput(STDERR)
  const input = {
    stdout: new ResultOutput(),
    stderr,
    environment: process.env,
    version: describeVersion(readVersion(), readCommit(), nativeBuild()),
  }
  const program = createProgram(input, await commandsFor(process.argv[2]))
  try {
    await program.command.parseAsync(process.argv)
    return program.exitCode()
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT_CODES.ok : EXIT_CODES.usage
    const { message, exitCode } = describeFailure(thrown)
    stderr.write(`error: ${message}\n`)
    return exitCode
  }
}

/** Commands among which the one that is meant is: a node that starts need not load what the others do. */
async function commandsFor(name: string | undefined): Promise<readonly CommandDefinition[]> {
  if (name === 'start') return [(await import('./commands/start.ts')).start]
  return (await import('./allCommands.ts')).COMMANDS
}
