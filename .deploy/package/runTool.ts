import { spawnSync } from 'node:child_process'

/** A tool that packaging needs is not there, or failed. */
export class PackagingError extends Error {
  override readonly name = 'PackagingError'
}

/** Output of a program. A failure is thrown with all that the program wrote. */
export function runTool(program: string, words: readonly string[], folder: string): string {
  const { status, stdout, stderr, error } = spawnSync(program, words, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  if (error !== undefined) throw new PackagingError(`${program} cannot be run: ${error.message}`)
  if (status !== 0) throw new PackagingError(`${program} ${words.join(' ')} failed:\n${stdout}${stderr}`)
  return stdout
}
