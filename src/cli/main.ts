#!/usr/bin/env node
import { NativeCoreError } from '../native/loadAddon.ts'
import { EXIT_CODES } from './exitCodes.ts'

try {
  // Everything else needs the native core, so that it is loaded where its absence can be told.
  const { runProgram } = await import('./run.ts')
  process.exitCode = await runProgram()
} catch (thrown) {
  if (!(thrown instanceof NativeCoreError)) throw thrown
  process.stderr.write(`error: ${thrown.message}\n`)
  process.exitCode = EXIT_CODES.nativeCore
}
