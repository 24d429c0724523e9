#!/usr/bin/env node
import { CommanderError } from 'commander'
import { describeFailure } from './errors.ts'
import { EXIT_CODES } from './exitCodes.ts'
import { createProgram } from './program.ts'
import { readVersion } from './version.ts'

const program = createProgram({
  stdout: process.stdout,
  stderr: process.stderr,
  environment: process.env,
  version: readVersion(),
})

try {
  await program.command.parseAsync(process.argv)
  process.exitCode = program.exitCode()
} catch (thrown) {
  if (thrown instanceof CommanderError) {
    process.exitCode = thrown.exitCode === 0 ? EXIT_CODES.ok : EXIT_CODES.usage
  } else {
    const { message, exitCode } = describeFailure(thrown)
    process.stderr.write(`error: ${message}\n`)
    process.exitCode = exitCode
  }
}
