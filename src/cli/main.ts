#!/usr/bin/env node
import { NativeCoreError } from '../native/loadAddon.ts'
import { LogOutput, STDERR } from '../observe/logOutput.ts'
import { describeFileLimit } from '../util/fileLimit.ts'
import { EXIT_CODES } from './exitCodes.ts'

try {
  // Everything else needs the native core, so that it is imported where its absence can be reported.
  const { runProgram } = await import('./run.ts')
  process.exitCode = await runProgram()
} catch (thrown) {
  // The modules are many files, too.
  const limit = describeFileLimit(thrown)
  if (limit === null && !(thrown instanceof NativeCoreError)) throw thrown
  new LogOutput(STDERR).write(`error: ${limit ?? (thrown as Error).message}\n`)
  process.exitCode = limit === null ? EXIT_CODES.nativeCore : EXIT_CODES.failed
}
